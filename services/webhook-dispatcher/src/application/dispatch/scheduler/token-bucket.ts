const SECOND_MS = 1_000;
/** Timers are too coarse to space many requests evenly: so much of a second may go out at once. */
const BURST_S = 0.1;

/** How many requests may still go out. It fills up evenly and holds at least one. */
export class TokenBucket {
  readonly perS: number;
  readonly #max: number;
  #tokens: number;
  #atMs: number;

  constructor(perS: number, nowMs: number) {
    this.perS = perS;
    this.#max = Math.max(1, perS * BURST_S);
    this.#tokens = this.#max;
    this.#atMs = nowMs;
  }

  /** Milliseconds until one may go out; 0: now. */
  waitMs(nowMs: number): number {
    this.#fill(nowMs);
    return this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / this.perS) * SECOND_MS;
  }

  /** One goes out. */
  take(nowMs: number): void {
    this.#fill(nowMs);
    this.#tokens -= 1;
  }

  #fill(nowMs: number): void {
    const added = ((nowMs - this.#atMs) / SECOND_MS) * this.perS;
    this.#tokens = Math.min(this.#max, this.#tokens + added);
    this.#atMs = nowMs;
  }
}
