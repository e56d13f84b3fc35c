const MINUTE_MS = 60_000;
const MARGIN_MAX_MS = 15 * MINUTE_MS;
const MARGIN_OF_LIFETIME = 0.25;

/**
 * Milliseconds before the end of an access token at which a refresh whose answer was lost is tried once more: time for
 * a call of 25 s, and for another one.
 */
export const LAST_TRY_MS = MINUTE_MS;

/** Returns how long before its end a token counts as old: a quarter of its lifetime, a quarter of an hour at most. */
export const marginMs = (lifetimeMs: number): number =>
  Math.min(MARGIN_MAX_MS, lifetimeMs * MARGIN_OF_LIFETIME);

/**
 * Returns when a token is refreshed without a request for it: within the margin before its end. Half of the margin is
 * for chance (0 to below 1) to spread over, so that tokens which expire together are not refreshed together; the other
 * half is for a provider that is down.
 */
export function refreshAheadAt(issuedAt: Date, expiresAt: Date, chance: number): Date {
  const lifetimeMs = Math.max(0, expiresAt.getTime() - issuedAt.getTime());
  return new Date(expiresAt.getTime() - marginMs(lifetimeMs) * (1 - chance / 2));
}

/**
 * Returns when credentials are due to be refreshed. Without a refresh token they are due when their access token ends,
 * and the connection ends with it.
 */
export const refreshAt = (
  issuedAt: Date,
  tokens: { readonly refreshToken: string | undefined; readonly expiresAt: Date },
  chance: number,
): Date =>
  tokens.refreshToken === undefined
    ? tokens.expiresAt
    : refreshAheadAt(issuedAt, tokens.expiresAt, chance);
