export interface IngestRate {
  readonly perSecond: number;
  readonly burst: number;
}

export const INGEST_RATE: IngestRate = { perSecond: 100, burst: 10_000 };

interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

const BUCKETS_MAX = 100_000;
/** Buckets that are looked at to find full ones, so that an event costs the same however many users are busy. */
const TRIES_MAX = 100;

/**
 * Token buckets that limit how many events of one user go straight to their webhooks. Events beyond that wait in the
 * table, which is worked off webhook by webhook. A full bucket means the same as none, so full ones are deleted.
 */
export class IngestBuckets {
  readonly #rate: IngestRate;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: IngestRate) {
    this.#rate = rate;
  }

  /** Counts an event of the user, at this time of a clock that never jumps. Returns whether the event may go on. */
  admit(userId: string, nowMs: number): boolean {
    const buckets = this.#buckets;
    const bucket = buckets.get(userId);
    const tokens = bucket ? this.#filled(bucket, nowMs) : this.#rate.burst;
    if (tokens < 1) return false;
    if (!bucket && buckets.size >= BUCKETS_MAX) this.#deleteFull(nowMs);
    if (bucket || buckets.size < BUCKETS_MAX)
      buckets.set(userId, { tokens: tokens - 1, atMs: nowMs });
    return true;
  }

  #filled({ tokens, atMs }: Bucket, nowMs: number): number {
    return Math.min(this.#rate.burst, tokens + ((nowMs - atMs) / 1_000) * this.#rate.perSecond);
  }

  #deleteFull(nowMs: number): void {
    let tries = 0;
    for (const [userId, bucket] of this.#buckets) {
      this.#buckets.delete(userId);
      // Moved to the end, so that the next search does not try the same buckets.
      if (this.#filled(bucket, nowMs) < this.#rate.burst) this.#buckets.set(userId, bucket);
      if (++tries === TRIES_MAX) return;
    }
  }
}

const SECOND_MS = 1_000;
/** Seconds whose requests may go out at once: timers are too coarse to space many requests evenly. */
const BURST_S = 0.1;

/** Bucket of the requests that may go out. It fills evenly, and may always hold at least one. */
export class TokenBucket {
  readonly perS: number;
  readonly #max: number;
  #tokens: number;
  #atMs: number;

  /** `max`: requests that may go out at once. */
  constructor(perS: number, nowMs: number, max = Math.max(1, perS * BURST_S)) {
    this.perS = perS;
    this.#max = max;
    this.#tokens = this.#max;
    this.#atMs = nowMs;
  }

  /** Returns the milliseconds until a request may go out; 0: now. */
  waitMs(nowMs: number): number {
    this.#fill(nowMs);
    return Math.max(0, ((1 - this.#tokens) / this.perS) * SECOND_MS);
  }

  /** Takes the tokens of a request that goes out; more than there are, if it costs more than one. */
  take(nowMs: number, cost = 1): void {
    this.#fill(nowMs);
    this.#tokens -= cost;
  }

  /** Adds tokens, up to so many. */
  give(nowMs: number, tokens: number, max: number): void {
    this.#fill(nowMs);
    this.#tokens = Math.min(max, this.#tokens + tokens);
  }

  #fill(nowMs: number): void {
    const added = ((nowMs - this.#atMs) / SECOND_MS) * this.perS;
    // Tokens that were given beyond what fills by itself stay.
    this.#tokens = Math.max(this.#tokens, Math.min(this.#max, this.#tokens + added));
    this.#atMs = nowMs;
  }
}
