import { briefly, deferred } from '@junction/async';
import type { Dispatch } from '../sending/ports.js';
import type { IncomingEvent } from './ports.js';

/** An event to send. */
export interface Piece {
  readonly event: Pick<IncomingEvent, 'userId' | 'data'>;
  /** Number of deliveries that may follow from the event. */
  readonly cost: number;
}

export interface FairOrderOptions<T> {
  /** Sends an event. Must not throw. */
  readonly send: (piece: T) => void;
  readonly dispatch: Pick<Dispatch, 'ready'>;
  /** Called after the last event that is sent in a turn of the event loop. */
  readonly turnEnded: () => void;
}

/** Deliveries of a user, from the claim of their events to the commit, from which on the user has a line apart. */
const LIGHT_BELOW = 200;
/** Deliveries of a user, from the moment they are sent to the commit, from which on the user's line waits. */
const IN_HAND_MAX = 2_000;
/** Deliveries after which the dispatcher is asked whether it is ready for more. */
const READY_EACH = 500;
/** Bytes of events that wait to be sent, of all users, from which on no more are taken in. */
const WAITING_BYTES_MAX = 64 * 1_024 * 1_024;

/** Events of a user that are not committed. */
interface Line<T> {
  /** Events that wait apart from the others; ended ones among them are skipped. */
  readonly apart: T[];
  /** Number of events that wait among the others. */
  light: number;
  /** Deliveries of all. */
  load: number;
  /** Deliveries of those that are sent. */
  inHand: number;
}

/**
 * Sends events in the order in which they are added, but a user who has much in hand has a line apart: these lines get
 * every second delivery together, and none of them runs far ahead of what is committed. Events of one user keep their
 * order.
 */
export class FairOrder<T extends Piece> {
  readonly #options: FairOrderOptions<T>;
  readonly #waiting = new Map<T, 'light' | 'apart'>();
  readonly #lines = new Map<string, Line<T>>();
  /** Events that wait of users who have little in hand, in the order in which they came. */
  readonly #light: T[] = [];
  /** Lines apart that may go on, by user. */
  readonly #apart = new Map<string, Line<T>>();
  /** Deliveries that users with little in hand had more than the others, since both wait. */
  #lightAhead = 0;
  #sentSinceReady = 0;
  #isReady = true;
  #isRunning = false;
  #waitingBytes = 0;
  /** Resolved when there is room for more bytes; absent while nobody waits for it. */
  #room: ReturnType<typeof deferred<void>> | undefined;

  constructor(options: FairOrderOptions<T>) {
    this.#options = options;
  }

  /** Adds events, and sends the first ones at once. Resolves when more may be added. */
  async add(pieces: readonly T[]): Promise<void> {
    for (const piece of pieces) {
      const { userId, data } = piece.event;
      const line = this.#lineOf(userId);
      const isLight = line.load < LIGHT_BELOW && !this.#firstOf(line.apart);
      this.#waiting.set(piece, isLight ? 'light' : 'apart');
      this.#waitingBytes += data.length;
      line.load += piece.cost;
      if (isLight) line.light++;
      (isLight ? this.#light : line.apart).push(piece);
      this.#queueUp(userId, line);
    }
    this.#run();
    while (this.#waitingBytes >= WAITING_BYTES_MAX) await (this.#room ??= deferred()).promise;
  }

  /** Ends an event that is committed or given up: it is not sent any more, and not in hand. */
  end(piece: T): void {
    const { userId } = piece.event;
    const line = this.#lineOf(userId);
    if (!this.#take(piece, line)) line.inHand -= piece.cost;
    line.load -= piece.cost;
    this.#queueUp(userId, line);
    const isEmpty = line.load === 0 && line.light === 0 && !this.#firstOf(line.apart);
    if (isEmpty) this.#lines.delete(userId);
    this.#run();
  }

  #lineOf(userId: string): Line<T> {
    let line = this.#lines.get(userId);
    if (!line) this.#lines.set(userId, (line = { apart: [], light: 0, load: 0, inHand: 0 }));
    return line;
  }

  #firstOf(queue: T[]): T | undefined {
    while (queue[0] && !this.#waiting.has(queue[0])) queue.shift();
    return queue[0];
  }

  /** Lets the line go on, or wait. */
  #queueUp(userId: string, line: Line<T>): void {
    const mayGoOn = line.light === 0 && line.inHand < IN_HAND_MAX && this.#firstOf(line.apart);
    if (mayGoOn) this.#apart.set(userId, line);
    else this.#apart.delete(userId);
  }

  /** Takes an event out of what waits. Returns whether it waited. */
  #take(piece: T, line: Line<T>): boolean {
    const where = this.#waiting.get(piece);
    if (where === 'light') line.light--;
    if (where) this.#waitingBytes -= piece.event.data.length;
    if (this.#room && this.#waitingBytes < WAITING_BYTES_MAX) {
      this.#room.resolve();
      this.#room = undefined;
    }
    return this.#waiting.delete(piece);
  }

  /** Returns the event whose turn it is: while the dispatcher is not ready, one of a user who has little in hand. */
  #next(): T | undefined {
    const one = this.#firstOf(this.#light);
    const [line] = this.#isReady ? this.#apart.values() : [];
    const other = line && this.#firstOf(line.apart);
    if (!one || !other) this.#lightAhead = 0;
    if (other && (!one || this.#lightAhead > 0)) return other;
    return this.#isReady || this.#sentSinceReady < 2 * READY_EACH ? one : undefined;
  }

  /** Sends the event whose turn it is. Returns whether there is one. */
  #sendNext(): boolean {
    const piece = this.#next();
    this.#isRunning = piece !== undefined;
    if (!piece) return false;
    const { event, cost } = piece;
    const line = this.#lineOf(event.userId);
    this.#lightAhead += this.#waiting.get(piece) === 'light' ? cost : -cost;
    this.#take(piece, line);
    line.inHand += cost;
    // A line that had its turn stands behind the others.
    this.#apart.delete(event.userId);
    this.#queueUp(event.userId, line);
    this.#options.send(piece);
    this.#sentSinceReady += cost;
    if (this.#isReady && this.#sentSinceReady >= READY_EACH) void this.#askReady();
    return true;
  }

  async #askReady(): Promise<void> {
    this.#isReady = false;
    await this.#options.dispatch.ready();
    this.#isReady = true;
    this.#sentSinceReady = 0;
    this.#run();
  }

  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void briefly(() => this.#sendNext(), this.#options.turnEnded);
  }
}
