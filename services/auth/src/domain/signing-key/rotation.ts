const SECOND_MS = 1_000;

/** How long anybody may hold our JWK Set without asking again: Cache-Control of its answer, and our own services. */
export const JWKS_MAX_AGE_MS = 300 * SECOND_MS;

/** Replicas read the keys again that often, in case they did not hear of a rotation. */
export const RELOAD_MS = 60 * SECOND_MS;

/** No access token lives longer. */
const TOKEN_TTL_MAX_MS = 600 * SECOND_MS;
const CLOCK_SKEW_MS = 5 * SECOND_MS;

/**
 * So long a new key is published before it signs: the slowest replica has read it, a cache on the way has let go of
 * the set without it, and so has a verifier that got that one from the cache in its last moment.
 */
export const LEAD_MS = RELOAD_MS + 2 * JWKS_MAX_AGE_MS;

/** So long a key is published after another one signs: the slowest replica signs with it, and its last token lives. */
export const RETAIN_MS = RELOAD_MS + TOKEN_TTL_MAX_MS + CLOCK_SKEW_MS;

export interface KeyTimes {
  readonly createdAt: Date;
  /** Absent: it has not been retired. */
  readonly publishedUntil?: Date | undefined;
}

export interface Rotation {
  /** The moment from which the new key signs. */
  readonly signsFrom: Date;
  /** The moment until which all other keys are published. */
  readonly publishedUntil: Date;
}

/** A rotation that no verifier notices. */
export const inTime = (now: Date): Rotation => ({
  signsFrom: later(now, LEAD_MS),
  publishedUntil: later(now, LEAD_MS + RETAIN_MS),
});

/** A rotation because a key has leaked: whatever it signed is refused as soon as verifiers ask again. */
export const atOnce = (now: Date): Rotation => ({ signsFrom: now, publishedUntil: now });

/** Whether the newest key is so old that the next one must come. */
export const isDue = (keys: readonly KeyTimes[], now: Date, everyMs: number): boolean =>
  keys.every(
    ({ createdAt, publishedUntil }) =>
      publishedUntil !== undefined || later(createdAt, everyMs) <= now,
  );

const later = (moment: Date, ms: number): Date => new Date(moment.getTime() + ms);
