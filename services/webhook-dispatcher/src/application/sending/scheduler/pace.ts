/** Number of attempts that one webhook gets at once, and what its answers have shown. */
export interface Pace {
  /** Attempts at once, not rounded: 1 to 32. */
  readonly limit: number;
  /** Whether the limit still doubles with each round of answers: until the first sign of strain. */
  readonly isProbing: boolean;
  /** Milliseconds that an answer takes when nothing is in its way; undefined: no answer came yet. */
  readonly baseMs: number | undefined;
  /** `new`: no attempt has ended yet. `responsive`: the last one ended soon. `slow`: an attempt takes or took long. */
  readonly kind: 'new' | 'responsive' | 'slow';
  /** Whether the last attempt was answered, and not with an overload; true before the first. */
  readonly isWell: boolean;
}

/**
 * Line in which a webhook takes turns: with webhooks that answer soon, with those that answer and take long, with those
 * that were never tried, or with those from which no answer is to be expected.
 */
export type Line = 'responsive' | 'slow' | 'new' | 'failing';

export function lineOf({ kind, isWell, baseMs }: Pace): Line {
  if (kind !== 'slow') return kind;
  return isWell && baseMs !== undefined ? 'slow' : 'failing';
}

/** End of an attempt, as far as the webhook's pace goes. */
export interface Ended {
  /** Whether the answer says nothing against sending more: no overload, no lost connection. */
  readonly isWell: boolean;
  readonly totalMs: number;
  /** Attempts that were under way when this one ended, itself included. */
  readonly underWay: number;
}

export const LIMIT_MAX = 32;
/** Milliseconds after which an attempt is slow: slow ones must not hold the slots of quick ones. */
export const RESPONSIVE_MAX_MS = 500;

const LIMIT_START = 4;
const AFTER_FAILURE = 0.5;
const AFTER_STRAIN = 0.9;
/**
 * An answer that takes twice the base waited in a queue at the receiver, unless the difference is a few milliseconds.
 */
const STRAIN_FACTOR = 2;
const STRAIN_MIN_MS = 20;
/**
 * Part of the difference by which the base rises with each answer, so that the base of a receiver that has become
 * slower for good is found anew.
 */
const BASE_DRIFT = 0.01;

export const NEW_PACE: Pace = {
  limit: LIMIT_START,
  isProbing: true,
  baseMs: undefined,
  kind: 'new',
  isWell: true,
};

/** Pace of a webhook that is known to fail when it is loaded first. */
export const FAILING_PACE: Pace = { ...NEW_PACE, kind: 'slow' };

/**
 * Returns the pace after an attempt: additive increase, multiplicative decrease. The limit rises by one after a round
 * of answers that came as soon as they can, falls by a tenth when answers take longer, and is halved when they fail. A
 * limit that is not used stays.
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
