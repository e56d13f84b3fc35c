import type { ConnectionTiming } from '../../application/job.js';
import type { AnswerHead } from './answer-head.js';

/** The first request on a connection waited for it; those after it found it there. */
export const REUSED: ConnectionTiming = { dnsMs: null, connectMs: null, tlsMs: null };

const NOTHING = Buffer.alloc(0);

/** Closes what an exchange goes over. */
interface Carrier {
  cut(error: unknown): void;
}

/** A request to a receiver, and what has come of it. */
export class Exchange {
  readonly origin: string;
  readonly startedMs = performance.now();
  timing = REUSED;
  /** Milliseconds until the headers were there; null: they never were. */
  headersMs: number | null = null;
  /** Head of the answer; absent: none came, because of `error`. */
  head: AnswerHead | undefined;
  sample: Buffer = NOTHING;
  error: unknown;
  /** The deadline came before the end of the body. */
  overdue: Error | undefined;
  isOver = false;
  readonly #head: string;
  readonly #body: Buffer;
  readonly #ended: (exchange: Exchange) => void;
  #carrier: Carrier | undefined;

  constructor(origin: string, head: string, body: Buffer, ended: (exchange: Exchange) => void) {
    this.origin = origin;
    this.#head = head;
    this.#body = body;
    this.#ended = ended;
  }

  /** Head and body in one piece: two would be two segments and two calls of the kernel. */
  request(): Buffer {
    const bytes = Buffer.allocUnsafe(this.#head.length + this.#body.length);
    bytes.write(this.#head, 'latin1');
    this.#body.copy(bytes, this.#head.length);
    return bytes;
  }

  begin(carrier: Carrier, timing: ConnectionTiming): void {
    this.#carrier = carrier;
    this.timing = timing;
  }

  headCame(): void {
    this.headersMs ??= performance.now() - this.startedMs;
  }

  /** Ends if the deadline is over. */
  expire(nowMs: number, deadlineMs: number): void {
    if (nowMs - this.startedMs < deadlineMs) return;
    this.overdue = new DOMException(`No answer within ${deadlineMs} ms.`, 'TimeoutError');
    if (this.#carrier) this.#carrier.cut(this.overdue);
    else this.end(this.overdue);
  }

  /** Only the first end counts. */
  end(error: unknown, head?: AnswerHead, sample: Buffer = NOTHING): void {
    if (this.isOver) return;
    this.isOver = true;
    this.error = error;
    this.head = head;
    this.sample = sample;
    this.#ended(this);
  }
}
