import type { Lane } from './lanes.js';
import { SWIFT_MAX_MS } from './pace.js';

export interface UnderWayAttempt {
  readonly lane: Lane;
  readonly startedMs: number;
  isSwift: boolean;
  hasEnded: boolean;
}

/** Attempts at once to webhooks that are known to answer soon: more would only wait for each other. */
const SWIFT_AT_ONCE_MAX = 128;
/** To all others: most of these wait for an answer that may never come, and cost a connection each. */
const OTHERS_AT_ONCE_MAX = 1_000;
const LOOK_EVERY_MS = 100;

/**
 * The cap over all attempts, in two parts: however many receivers hang, those that answer soon have
 * their places. An attempt that takes long gives its place among the quick up and goes to the others.
 */
export class UnderWay {
  readonly #monotonicMs: () => number;
  /** These webhooks, quick or never tried before, have shown themselves to be slow just now. */
  readonly #onSlow: (lanes: readonly Lane[]) => void;
  /** Attempts that may yet show it, the oldest first, and those that have ended since the last look (decision 8). */
  #watched: UnderWayAttempt[] = [];
  #swift = 0;
  #others = 0;
  #looking: NodeJS.Timeout | undefined;

  constructor(monotonicMs: () => number, onSlow: (lanes: readonly Lane[]) => void) {
    this.#monotonicMs = monotonicMs;
    this.#onSlow = onSlow;
  }

  get count(): number {
    return this.#swift + this.#others;
  }

  /** Attempts to webhooks that are not known to answer soon. */
  get others(): number {
    return this.#others;
  }

  hasRoom(isSwift: boolean): boolean {
    return isSwift ? this.#swift < SWIFT_AT_ONCE_MAX : this.#others < OTHERS_AT_ONCE_MAX;
  }

  begin(lane: Lane): UnderWayAttempt {
    const { kind } = lane.pace;
    const startedMs = this.#monotonicMs();
    const attempt = { lane, startedMs, isSwift: kind === 'swift', hasEnded: false };
    this.#count(attempt, 1);
    if (kind !== 'slow') {
      this.#watched.push(attempt);
      this.#looking ??= setTimeout(() => this.#look(), LOOK_EVERY_MS);
    }
    lane.underWay++;
    return attempt;
  }

  end(attempt: UnderWayAttempt): void {
    attempt.lane.underWay--;
    attempt.hasEnded = true;
    this.#count(attempt, -1);
  }

  stop(): void {
    clearTimeout(this.#looking);
  }

  #count({ isSwift }: UnderWayAttempt, more: number): void {
    if (isSwift) this.#swift += more;
    else this.#others += more;
  }

  #look(): void {
    const slowFromMs = this.#monotonicMs() - SWIFT_MAX_MS;
    const stillUnderWay = this.#watched.filter((attempt) => !attempt.hasEnded);
    const slow = stillUnderWay.filter((attempt) => attempt.startedMs <= slowFromMs);
    this.#watched = stillUnderWay.slice(slow.length);
    for (const attempt of slow) {
      this.#count(attempt, -1);
      attempt.isSwift = false;
      this.#count(attempt, 1);
    }
    this.#looking =
      this.#watched.length > 0 ? setTimeout(() => this.#look(), LOOK_EVERY_MS) : undefined;
    if (slow.length > 0) this.#onSlow(slow.map(({ lane }) => lane));
  }
}
