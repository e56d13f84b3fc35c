const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;

/** How long anybody may hold /.well-known/webhook-keys.json without asking again: Cache-Control of its answer. */
export const KEYS_MAX_AGE_MS = 300 * SECOND_MS;

/** Replicas read the keys again that often, in case they did not hear of a rotation. */
export const RELOAD_MS = 60 * SECOND_MS;

/** So long a new key is published before it signs: a receiver that asks for keys once a day knows it by then. */
const LEAD_MS = 24 * HOUR_MS;

/** So long the keys before it sign beside it, for receivers that were given one by hand. */
const OVERLAP_MS = 24 * HOUR_MS;

/** So long a key is published after it signed last: the slowest replica has heard, and its last request is answered. */
const RETAIN_MS = HOUR_MS;

export interface Rotation {
  /** Of the new key. */
  readonly signsFrom: Date;
  /** Of all others. */
  readonly signsUntil: Date;
  /** Of all others. */
  readonly publishedUntil: Date;
}

/** A rotation that no receiver notices that asks for the keys once a day. */
export const inTime = (now: Date): Rotation => ({
  signsFrom: later(now, LEAD_MS),
  signsUntil: later(now, LEAD_MS + OVERLAP_MS),
  publishedUntil: later(now, LEAD_MS + OVERLAP_MS + RETAIN_MS),
});

/** A rotation because a key has leaked: whatever it signs is refused as soon as receivers ask again. */
export const atOnce = (now: Date): Rotation => ({
  signsFrom: now,
  signsUntil: now,
  publishedUntil: now,
});

const later = (moment: Date, ms: number): Date => new Date(moment.getTime() + ms);
