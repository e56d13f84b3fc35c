import type { LookupAddress } from 'node:dns';
import { connect, type Socket } from 'node:net';
import { connected, type Opened } from '@junction/service/outbound';
import type { Exchange } from './exchange.js';

/** Buffer that all plain connections read into: what is kept of it is copied before the next connection reads. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1_024);
/** Event of a socket with the number of bytes that were read into the buffer. */
const BYTES = 'bytes';

const LOST = 'The receiver closed the connection before it answered.';
const connectionLost = (): Error => Object.assign(new Error(LOST), { code: 'ECONNRESET' });

/** Connects to one address, for plain HTTP. No stream is between the socket and who reads. */
export function dialPlain(
  { address }: LookupAddress,
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  const callback = (length: number): boolean => socket.emit(BYTES, length);
  const onread = { buffer: READ_BUFFER, callback };
  const socket: Socket = connect({ host: address, port, noDelay: true, onread });
  return connected(socket, signal);
}

/** Keeps connections for the next exchange. */
export interface Owner {
  /** Called when the connection waits for another exchange. */
  freed(connection: Connection): void;
  closed(connection: Connection): void;
}

/** A connection to a receiver, plain or of TLS, over which one exchange comes after the other. */
export class Connection {
  readonly origin: string;
  /** Place among all connections of the owner. */
  place = 0;
  readonly #owner: Owner;
  readonly #opening = new AbortController();
  #socket: Socket | undefined;
  #exchange: Exchange | undefined;
  #idleUntilMs = 0;
  #isCut = false;

  /** The first exchange begins when the connection is open. */
  constructor(exchange: Exchange, owner: Owner) {
    this.origin = exchange.origin;
    this.#exchange = exchange;
    this.#owner = owner;
  }

  /** Opens the connection, and sends the first request. The signal aborts when no exchange waits for the connection. */
  async open(opening: (signal: AbortSignal) => Promise<Opened>): Promise<void> {
    try {
      const { socket, times } = await opening(this.#opening.signal);
      this.#socket = socket;
      socket.on(BYTES, (length: number) => this.#read(READ_BUFFER, length));
      socket.on('data', (bytes: Buffer) => this.#read(bytes, bytes.length));
      socket.on('error', (error) => this.cut(error));
      for (const end of ['end', 'close']) socket.on(end, () => this.cut(connectionLost()));
      if (this.#isCut || socket.destroyed) throw socket.errored ?? connectionLost();
      const exchange = this.#exchange as Exchange;
      exchange.timing = times;
      socket.write(exchange.bytes());
    } catch (error) {
      this.#socket?.destroy();
      this.cut(error);
    }
  }

  /** Returns whether another request may go: not while a receiver that answered early still reads the last one. */
  isFree(nowMs: number): boolean {
    return nowMs < this.#idleUntilMs && this.#socket?.writableLength === 0;
  }

  /** Writes the request of an exchange, and reads its answer. */
  carry(exchange: Exchange): void {
    this.#exchange = exchange;
    this.#socket?.write(exchange.bytes());
  }

  /** Ends what takes too long: the exchange, or the wait for one. */
  expire(nowMs: number, deadlineMs: number): void {
    const overdue = this.#exchange?.overdueAt(nowMs, deadlineMs);
    if (overdue || (this.#exchange === undefined && nowMs >= this.#idleUntilMs)) this.cut(overdue);
  }

  /** Closes the connection and ends its exchange: with the error, unless an answer has begun. */
  cut(error?: unknown): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#opening.abort();
    this.#socket?.destroy();
    this.#owner.closed(this);
    this.#end(error);
  }

  #read(bytes: Buffer, length: number): void {
    const exchange = this.#exchange;
    if (exchange === undefined) {
      this.cut();
      return;
    }
    const { answer } = exchange;
    try {
      answer.read(bytes, length);
    } catch (error) {
      this.cut(error);
      return;
    }
    if (answer.head === undefined) return;
    exchange.answered();
    if (answer.end === 'cut') this.cut();
    else if (answer.end === 'kept') {
      this.#idleUntilMs = performance.now() + answer.head.idleMs;
      this.#owner.freed(this);
      this.#end();
    }
  }

  #end(error?: unknown): void {
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.end(error);
  }
}
