const SECOND_MS = 1_000;
/** Seconds whose requests may go out at once: timers are too coarse to space many requests evenly. */
const BURST_S = 0.1;

/** Bucket of the requests that may go out. It fills evenly, and may always hold at least one. */
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

  /** Returns the milliseconds until a request may go out; 0: now. */
  waitMs(nowMs: number): number {
    this.#fill(nowMs);
    return this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / this.perS) * SECOND_MS;
  }

  /** Takes the token of a request that goes out. */
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
