/** So long a key that auth takes back is believed here beyond the cache of its keys. */
const REMEMBERED_MS = 60_000;
const REMEMBERED_MAX = 100;

/**
 * Checks a token that comes again and again once a minute: services present the same one for minutes, and
 * checking its signature is a good part of a short call. Never remembered beyond its end, nor when it was refused.
 */
export function rememberTokens<Claims extends { readonly expiresAt: Date }>(
  verify: (jwt: string) => Promise<Claims>,
  nowMs: () => number = Date.now,
): (jwt: string) => Promise<Claims> {
  const remembered = new Map<string, { readonly claims: Claims; readonly untilMs: number }>();

  return async (jwt) => {
    const known = remembered.get(jwt);
    if (known !== undefined && nowMs() < known.untilMs) return known.claims;

    remembered.delete(jwt);
    const claims = await verify(jwt);
    // Callers are few. Should there be many, all begin anew rather than grow.
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    const untilMs = Math.min(claims.expiresAt.getTime(), nowMs() + REMEMBERED_MS);
    remembered.set(jwt, { claims, untilMs });
    return claims;
  };
}
