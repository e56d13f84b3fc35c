import { retryAfterMs } from '@junction/service/outbound';
import type { AttemptRecord, ConnectionTiming } from '../../application/job.js';
import type { OnEnded } from '../../application/sending/ports.js';
import type { WebhookRequest } from '../../application/sending/send-attempt.js';
import type { AttemptOutcome } from '../../domain/delivery/events.js';
import type { AnswerHead } from './answer-head.js';
import { AnswerReader } from './answer-reader.js';
import { failureReason } from './failure-reason.js';
import { EgressRefusedError } from './guarded-lookup.js';

/** Timing of a request whose connection was open already. */
const REUSED: ConnectionTiming = { dnsMs: null, connectMs: null, tlsMs: null };
const SUCCEEDED: AttemptOutcome = { kind: 'succeeded' };
const NOTHING = Buffer.alloc(0);
/** Statuses of answers that end with their headers (RFC 9110, sections 15.3.5 and 15.3.6): a late body delays none. */
const BODILESS: ReadonlySet<number> = new Set([204, 205]);

/** A request to a receiver that is under way, and its answer. */
export class Exchange {
  /** Reader of the answer: a connection that waits for its next exchange must not hold the last answer. */
  readonly answer = new AnswerReader();
  readonly startedMs = performance.now();
  origin = '';
  /** Request line and headers, with the blank line after them. */
  head = '';
  timing = REUSED;
  readonly #request: WebhookRequest;
  readonly #ended: OnEnded;
  #headersMs: number | null = null;
  #overdue: Error | undefined;

  constructor(request: WebhookRequest, ended: OnEnded) {
    this.#request = request;
    this.#ended = ended;
  }

  /** Head and body in one piece: two would be two segments and two calls of the kernel. */
  bytes(): Buffer {
    const { body } = this.#request;
    const bytes = Buffer.allocUnsafe(this.head.length + body.length);
    bytes.write(this.head, 'latin1');
    body.copy(bytes, this.head.length);
    return bytes;
  }

  /** Notes that the headers are there. */
  answered(): void {
    this.#headersMs ??= performance.now() - this.startedMs;
  }

  /** Returns the error to end with, if the deadline is over. */
  overdueAt(nowMs: number, deadlineMs: number): Error | undefined {
    if (nowMs - this.startedMs < deadlineMs) return undefined;
    this.#overdue = new DOMException(`No answer within ${deadlineMs} ms.`, 'TimeoutError');
    return this.#overdue;
  }

  /** Ends the request, with the error because of which no more of the answer comes. Never throws; called once. */
  end(error?: unknown): void {
    let record: AttemptRecord | undefined;
    let broken: unknown;
    try {
      record = this.#record(error);
    } catch (thrown) {
      broken = thrown;
    }
    this.#ended(record, broken);
  }

  #record(error: unknown): AttemptRecord {
    this.answer.close();
    const { head, sample } = this.answer;
    const outcome = head === undefined ? failureOf(error) : answerOf(head, this.#overdue);
    return {
      startedAt: this.#request.startedAt,
      outcome,
      result: resultOf(outcome),
      httpStatus: head === undefined ? null : head.statusCode,
      headersMs: this.#headersMs,
      totalMs: performance.now() - this.startedMs,
      connection: this.timing,
      headers: head === undefined ? NOTHING : Buffer.from(head.lines),
      sample,
    };
  }
}

/** The status counts however its body is framed or ends; but the end of a success must come by the deadline. */
function answerOf(head: AnswerHead, overdue: Error | undefined): AttemptOutcome {
  const { statusCode, retryAfter } = head;
  if (statusCode >= 200 && statusCode < 300) {
    return overdue && !BODILESS.has(statusCode) ? failureOf(overdue) : SUCCEEDED;
  }
  if (statusCode === 410) return { kind: 'gone' };
  const isAsked = statusCode === 429 || statusCode === 503;
  const delayMs = isAsked ? retryAfterMs(retryAfter, Date.now()) : undefined;
  return { kind: 'failed', reason: `http_${statusCode}`, retryAfterMs: delayMs ?? 0 };
}

function failureOf(error: unknown): AttemptOutcome {
  const refusal = [error, (error as Error).cause].find((one) => one instanceof EgressRefusedError);
  if (refusal) return { kind: 'refused', reason: refusal.code };
  return { kind: 'failed', reason: failureReason(error), retryAfterMs: 0 };
}

function resultOf(outcome: AttemptOutcome): string {
  if (outcome.kind === 'gone') return 'http_410';
  return outcome.kind === 'succeeded' ? outcome.kind : outcome.reason;
}
