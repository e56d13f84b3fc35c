/** Number of attempts that one webhook gets at once, and what its answers have shown. */
export interface Pace {
  /** Attempts at once, not rounded: 1 to 32. */
  readonly limit: number;
  /** Whether the limit still doubles with each round of answers: until the first sign of strain. */
  readonly isProbing: boolean;
  /** Average of the last answers in milliseconds; undefined: no answer came yet. */
  readonly meanMs: number | undefined;
  /** Average that answers have when nothing is in their way; undefined: no answer came yet. */
  readonly baseMs: number | undefined;
  /** `new`: no attempt has ended yet. `responsive`: most attempts end soon. `slow`: attempts take or took long. */
  readonly kind: 'new' | 'responsive' | 'slow';
  /** Number of late attempts that are not outweighed by prompt ones: from 0 to `LATE_MAX`. */
  readonly late: number;
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
  /** Whether the attempt was counted as late while it was under way. */
  readonly wasLate: boolean;
}

export const LIMIT_MAX = 32;
/** Milliseconds after which an attempt is late: slow webhooks must not hold the slots of quick ones. */
export const RESPONSIVE_MAX_MS = 500;
/** Late attempts after which a responsive webhook is slow. A receiver that is late once in a hundred times is none. */
export const LATE_MAX = 3;

const LIMIT_START = 4;
const AFTER_FAILURE = 0.5;
const AFTER_STRAIN = 0.9;
/** Prompt answers that outweigh a late attempt. */
const PROMPT_PER_LATE = 8;
/** Portion of an answer in the average: a receiver whose answers vary is not strained by one. */
const NEWEST = 1 / 8;
/** Answers that take twice the base waited in a queue at the receiver, unless the difference is a few milliseconds. */
const STRAIN_FACTOR = 2;
const STRAIN_MIN_MS = 20;
/**
 * Part of the difference by which the base rises with each answer, so that the base of a receiver that has become
 * slower for good is found anew.
 */
const BASE_DRIFT = 0.01;
const SECOND_MS = 1_000;
/** Milliseconds that an answer of a webhook without a base needs at most. */
const NEW_MAX_MS = 125;

export const NEW_PACE: Pace = {
  limit: LIMIT_START,
  isProbing: true,
  meanMs: undefined,
  baseMs: undefined,
  kind: 'new',
  late: 0,
  isWell: true,
};

/** Pace of a webhook that is known to fail when it is loaded first. */
export const FAILING_PACE: Pace = { ...NEW_PACE, kind: 'slow', late: LATE_MAX };

/**
 * Returns the pace after an attempt: additive increase, multiplicative decrease. The limit rises by one after a round
 * of answers that came as soon as they can, falls by a tenth when some answers in a row take longer, and is halved by a
 * failure. A limit that is not used stays.
 */
export function paced(pace: Pace, { isWell, totalMs, underWay, wasLate }: Ended): Pace {
  const { limit, isProbing } = pace;
  const { kind, late } = latenessAfter(pace, totalMs, wasLate);
  if (!isWell) {
    const { meanMs, baseMs } = pace;
    const halved = bounded(limit * AFTER_FAILURE);
    return { limit: halved, isProbing: false, meanMs, baseMs, kind, late, isWell };
  }
  const meanMs = meanAfter(pace.meanMs, totalMs);
  const baseMs = baseAfter(pace.baseMs, meanMs);
  if (meanMs > strainMs(baseMs)) {
    const less = bounded(limit * AFTER_STRAIN);
    // The average begins anew: the same answers must not lower the limit again.
    return { limit: less, isProbing: false, meanMs: baseMs, baseMs, kind, late, isWell };
  }
  const isUsed = underWay >= Math.floor(limit);
  const more = isUsed ? bounded(limit + (isProbing ? 1 : 1 / limit)) : limit;
  return { limit: more, isProbing, meanMs, baseMs, kind, late, isWell };
}

/** Returns the pace of a webhook one of whose attempts is late. */
export function pacedLate(pace: Pace): Pace {
  const { limit, isProbing, meanMs, baseMs, isWell } = pace;
  return { limit, isProbing, meanMs, baseMs, ...afterLate(pace), isWell };
}

type Lateness = Pick<Pace, 'kind' | 'late'>;

function latenessAfter(pace: Lateness, totalMs: number, wasLate: boolean): Lateness {
  if (totalMs > RESPONSIVE_MAX_MS) return wasLate ? pace : afterLate(pace);
  const { kind, late } = pace;
  // A webhook that was slow is slow again with its next late attempt.
  const less = kind === 'slow' ? LATE_MAX - 1 : Math.max(0, late - 1 / PROMPT_PER_LATE);
  return { kind: 'responsive', late: less };
}

function afterLate({ kind, late }: Lateness): Lateness {
  const more = Math.min(LATE_MAX, late + 1);
  return { kind: kind === 'responsive' && more < LATE_MAX ? kind : 'slow', late: more };
}

/** Returns the milliseconds of an answer that nothing but the receiver delayed. */
export const neededMs = ({ baseMs }: Pace, totalMs: number): number =>
  Math.min(totalMs, baseMs === undefined ? NEW_MAX_MS : strainMs(baseMs));

/** Returns how many jobs the webhook answers in a second; Infinity while that is not known, and 32 at least. */
export const answeredInASecond = ({ limit, meanMs = 0 }: Pace): number =>
  Math.max(LIMIT_MAX, (limit * SECOND_MS) / meanMs);

const strainMs = (baseMs: number): number => baseMs * STRAIN_FACTOR + STRAIN_MIN_MS;

/** An answer counts at most as twice the average: a single late one is judged by `late`. */
function meanAfter(meanMs: number | undefined, totalMs: number): number {
  if (meanMs === undefined) return totalMs;
  const most = Math.max(RESPONSIVE_MAX_MS, meanMs * STRAIN_FACTOR);
  return meanMs + (Math.min(totalMs, most) - meanMs) * NEWEST;
}

const baseAfter = (before: number | undefined, meanMs: number): number =>
  before === undefined ? meanMs : Math.min(meanMs, before + (meanMs - before) * BASE_DRIFT);

const bounded = (limit: number): number => Math.min(LIMIT_MAX, Math.max(1, limit));
