const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

/** Milliseconds for which anybody may cache /.well-known/webhook-keys.json: Cache-Control of its answer. */
export const KEYS_MAX_AGE_MS = 300 * SECOND_MS;

/** Milliseconds after which replicas read the keys again, in case a notification of a rotation was lost. */
export const RELOAD_MS = 60 * SECOND_MS;

/**
 * Milliseconds for which a new key is published before it signs: a receiver that fetches the keys once a day has it by
 * then.
 */
const LEAD_MS = 24 * HOUR_MS;

/** Milliseconds for which the keys before it sign beside a new one, for receivers that were given a key by hand. */
const OVERLAP_MS = 24 * HOUR_MS;

/**
 * Milliseconds for which a key stays published after it signed last: by then the slowest replica has learned of the
 * rotation, and its last request is answered.
 */
const RETAIN_MS = HOUR_MS;

export interface Rotation {
  /** Time from which the new key signs. */
  readonly signsFrom: Date;
  /** Time until which all other keys sign. */
  readonly signsUntil: Date;
  /** Time until which all other keys are published. */
  readonly publishedUntil: Date;
}

/** Returns a rotation that a receiver does not notice if it fetches the keys once a day. */
export const inTime = (now: Date): Rotation => ({
  signsFrom: later(now, LEAD_MS),
  signsUntil: later(now, LEAD_MS + OVERLAP_MS),
  publishedUntil: later(now, LEAD_MS + OVERLAP_MS + RETAIN_MS),
});

/** Returns a rotation after a leak: whatever an old key signs is refused as soon as receivers fetch the keys again. */
export const atOnce = (now: Date): Rotation => ({
  signsFrom: now,
  signsUntil: now,
  publishedUntil: now,
});

const later = (moment: Date, ms: number): Date => new Date(moment.getTime() + ms);
