/** How many attempts one webhook gets at once, and what it has shown of itself. */
export interface Pace {
  /** Attempts at once, not rounded: 1 to 32. */
  readonly limit: number;
  /** Until the first sign of strain the limit doubles with each round of answers. */
  readonly isProbing: boolean;
  /** What an answer takes when nothing is in its way, ms; undefined: none was seen. */
  readonly baseMs: number | undefined;
  /** `new`: no attempt has ended yet. `responsive`: the last one ended soon. `slow`: one takes or took long. */
  readonly kind: 'new' | 'responsive' | 'slow';
  /** The last attempt was answered, and not with an overload; true before there was one. */
  readonly isWell: boolean;
}

/**
 * With whom its webhook takes turns: with those that answer soon, with those that answer and take long, with those that
 * were never tried, or with those from which no answer is to be expected.
 */
export type Line = 'responsive' | 'slow' | 'new' | 'failing';

export function lineOf({ kind, isWell, baseMs }: Pace): Line {
  if (kind !== 'slow') return kind;
  return isWell && baseMs !== undefined ? 'slow' : 'failing';
}

/** How an attempt ended, as far as its webhook's pace goes. */
export interface Ended {
  /** An answer that says nothing against sending more: not an overload, no lost connection. */
  readonly isWell: boolean;
  readonly totalMs: number;
  /** So many were under way when it ended, itself included. */
  readonly underWay: number;
}

export const LIMIT_MAX = 32;
/** What is not done by then is slow: it must not hold the places of those that are quick. */
export const RESPONSIVE_MAX_MS = 500;

const LIMIT_START = 4;
const AFTER_FAILURE = 0.5;
const AFTER_STRAIN = 0.9;
/** Twice as long as it can be is a queue at the receiver, unless it is a matter of milliseconds. */
const STRAIN_FACTOR = 2;
const STRAIN_MIN_MS = 20;
/** So the base is found anew when a receiver has become slower for good. */
const BASE_DRIFT = 0.01;

export const NEW_PACE: Pace = {
  limit: LIMIT_START,
  isProbing: true,
  baseMs: undefined,
  kind: 'new',
  isWell: true,
};

/** Of a webhook of which somebody has seen that its attempts fail. */
export const FAILING_PACE: Pace = { ...NEW_PACE, kind: 'slow', isWell: false };

/**
 * Additive increase, multiplicative decrease: one more after a round of answers that came as soon as
 * they can, a tenth less when they take longer, half when they fail. A limit that is not used stays.
 */
export function paced(pace: Pace, { isWell, totalMs, underWay }: Ended): Pace {
  const kind = totalMs <= RESPONSIVE_MAX_MS ? 'responsive' : 'slow';
  if (!isWell) {
    const limit = bounded(pace.limit * AFTER_FAILURE);
    return { ...pace, kind, isWell, isProbing: false, limit };
  }

  const baseMs = baseAfter(pace.baseMs, totalMs);
  if (totalMs > baseMs * STRAIN_FACTOR + STRAIN_MIN_MS) {
    return { kind, isWell, baseMs, isProbing: false, limit: bounded(pace.limit * AFTER_STRAIN) };
  }
  const isUsed = underWay >= Math.floor(pace.limit);
  const more = pace.isProbing ? 1 : 1 / pace.limit;
  return { ...pace, kind, isWell, baseMs, limit: isUsed ? bounded(pace.limit + more) : pace.limit };
}

const baseAfter = (before: number | undefined, ms: number): number =>
  before === undefined ? ms : Math.min(ms, before + (ms - before) * BASE_DRIFT);

const bounded = (limit: number): number => Math.min(LIMIT_MAX, Math.max(1, limit));
