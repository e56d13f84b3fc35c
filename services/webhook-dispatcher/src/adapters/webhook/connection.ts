import type { LookupAddress } from 'node:dns';
import { connect, type Socket } from 'node:net';
import type { ConnectionTiming } from '../../application/job.js';
import { AnswerReader } from './answer-reader.js';
import { type Exchange, REUSED } from './exchange.js';
import { InvalidAnswerError } from './failure-reason.js';

/** All plain connections read into this one: what is kept of it is copied before the next one reads. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1_024);
/** Event of a socket with the number of bytes that were read into the buffer. */
const BYTES = 'bytes';

/** The connection ended before an answer had begun. */
class ConnectionLostError extends Error {
  readonly code = 'ECONNRESET';

  constructor() {
    super('The receiver closed the connection before it answered.');
    this.name = new.target.name;
  }
}

/** Connects to one address, for plain HTTP. No stream is between the socket and who reads. */
export const dialPlain = (
  { address }: LookupAddress,
  port: number,
  signal: AbortSignal,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const callback = (length: number) => {
      if (!socket.emit(BYTES, length)) socket.destroy(new InvalidAnswerError(UNASKED));
      return true;
    };
    const onread = { buffer: READ_BUFFER, callback };
    const socket = connect({ host: address, port, noDelay: true, onread });
    signal.addEventListener('abort', () => socket.destroy(signal.reason), { once: true });
    // Stays: an error that comes before anybody else listens would end the process.
    socket.on('error', reject);
    socket.once('connect', () => resolve(socket));
  });

const UNASKED = 'The receiver says something that it was not asked.';

/** Keeps connections for the next exchange. */
export interface Owner {
  /** Called when the connection waits for another exchange. */
  freed(connection: Connection): void;
  closed(connection: Connection): void;
}

/** A connection to a receiver, plain or of TLS, over which one exchange comes after the other. */
export class Connection {
  readonly origin: string;
  readonly #socket: Socket;
  readonly #owner: Owner;
  #timing: ConnectionTiming;
  #reader = new AnswerReader();
  #exchange: Exchange | undefined;
  #idleUntilMs = 0;

  constructor(origin: string, socket: Socket, timing: ConnectionTiming, owner: Owner) {
    this.origin = origin;
    this.#socket = socket;
    this.#timing = timing;
    this.#owner = owner;
    socket.on(BYTES, (length: number) => this.#read(READ_BUFFER, length));
    socket.on('data', (bytes: Buffer) => this.#read(bytes, bytes.length));
    socket.on('error', (error) => this.cut(error));
    for (const end of ['end', 'close']) socket.on(end, () => this.cut(new ConnectionLostError()));
  }

  /** False also while the receiver, who has answered early, has not read the whole request. */
  isFree(nowMs: number): boolean {
    return nowMs < this.#idleUntilMs && this.#socket.writableLength === 0;
  }

  /** Writes the request of an exchange, and reads its answer. */
  carry(exchange: Exchange): void {
    const { errored, destroyed, readableEnded } = this.#socket;
    exchange.begin(this, this.#timing);
    this.#exchange = exchange;
    this.#timing = REUSED;
    if (destroyed || readableEnded) this.cut(errored ?? new ConnectionLostError());
    else this.#socket.write(exchange.request());
  }

  /** Ends what takes too long: the exchange, or the wait for one. */
  expire(nowMs: number, deadlineMs: number): void {
    if (this.#exchange) this.#exchange.expire(nowMs, deadlineMs);
    else if (nowMs >= this.#idleUntilMs) this.cut();
  }

  /** Closes the connection and ends its exchange: with the error, unless an answer has begun. */
  cut(error?: unknown): void {
    this.#socket.destroy();
    this.#owner.closed(this);
    this.#end(error);
  }

  #read(bytes: Buffer, length: number): void {
    const [exchange, reader] = [this.#exchange, this.#reader];
    if (exchange === undefined) {
      this.cut();
      return;
    }
    try {
      reader.read(bytes, length);
    } catch (error) {
      this.cut(error);
      return;
    }
    if (reader.head) exchange.headCame();
    if (reader.end === 'cut') this.cut();
    else if (reader.end === 'kept') {
      this.#idleUntilMs = performance.now() + (reader.head?.idleMs ?? 0);
      this.#owner.freed(this);
      this.#end();
    }
  }

  #end(error?: unknown): void {
    const [exchange, { head, sample }] = [this.#exchange, this.#reader];
    this.#exchange = undefined;
    this.#reader = new AnswerReader();
    exchange?.end(error, head, sample);
  }
}
