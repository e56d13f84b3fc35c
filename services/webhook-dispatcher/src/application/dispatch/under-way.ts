import type { Lane } from './lanes.js';
import { SWIFT_MAX_MS } from './pace.js';

export interface UnderWayAttempt {
  readonly lane: Lane;
  readonly startedMs: number;
  isSwift: boolean;
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
  /** These webhooks have shown themselves to be slow just now, and gave places up. */
  readonly #onSlow: (lanes: readonly Lane[]) => void;
  readonly #swift = new Set<UnderWayAttempt>();
  #others = 0;
  #looking: NodeJS.Timeout | undefined;

  constructor(monotonicMs: () => number, onSlow: (lanes: readonly Lane[]) => void) {
    this.#monotonicMs = monotonicMs;
    this.#onSlow = onSlow;
  }

  get count(): number {
    return this.#swift.size + this.#others;
  }

  hasRoom(isSwift: boolean): boolean {
    return isSwift ? this.#swift.size < SWIFT_AT_ONCE_MAX : this.#others < OTHERS_AT_ONCE_MAX;
  }

  begin(lane: Lane): UnderWayAttempt {
    const isSwift = lane.pace.kind === 'swift';
    const attempt = { lane, startedMs: this.#monotonicMs(), isSwift };
    if (isSwift) {
      this.#swift.add(attempt);
      this.#looking ??= setTimeout(() => this.#look(), LOOK_EVERY_MS);
    } else {
      this.#others++;
    }
    lane.underWay++;
    return attempt;
  }

  end(attempt: UnderWayAttempt): void {
    attempt.lane.underWay--;
    if (attempt.isSwift) this.#swift.delete(attempt);
    else this.#others--;
  }

  stop(): void {
    clearTimeout(this.#looking);
  }

  #look(): void {
    const slowFromMs = this.#monotonicMs() - SWIFT_MAX_MS;
    const slow: Lane[] = [];
    // The oldest come first.
    for (const attempt of this.#swift) {
      if (attempt.startedMs > slowFromMs) break;
      this.#swift.delete(attempt);
      attempt.isSwift = false;
      this.#others++;
      slow.push(attempt.lane);
    }
    this.#looking =
      this.#swift.size > 0 ? setTimeout(() => this.#look(), LOOK_EVERY_MS) : undefined;
    if (slow.length > 0) this.#onSlow(slow);
  }
}
