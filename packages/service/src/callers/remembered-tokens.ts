import { hash } from 'node:crypto';

/**
 * Longest time for which a credential that auth takes back is still accepted here, unless a revocation arrives before.
 */
export const REMEMBERED_MS = 60_000;
const REMEMBERED_MAX = 10_000;

/** Holder of a credential, with the time at which the credential ends. */
interface Holder {
  readonly expiresAt?: Date | undefined;
}

export interface RememberOptions {
  readonly forMs?: number;
  readonly nowMs?: () => number;
}

/**
 * Checks a recurring credential only once a minute, or once in `forMs`: checking a signature is a good part of a short
 * call, and checking an API key with auth is a call of its own. A credential is never remembered beyond its end, nor
 * when it was refused.
 */
export function rememberTokens<Found extends Holder | undefined>(
  check: (credential: string) => Promise<Found>,
  { forMs = REMEMBERED_MS, nowMs = Date.now }: RememberOptions = {},
): (credential: string) => Promise<Found> {
  const remembered = new Map<string, { readonly found: Found; readonly untilMs: number }>();

  return async (credential) => {
    const key = hash('sha256', credential, 'base64');
    const known = remembered.get(key);
    if (known !== undefined && nowMs() < known.untilMs) return known.found;

    remembered.delete(key);
    const found = await check(credential);
    if (found === undefined) return found;
    // Should there be very many, all begin anew rather than grow.
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    const endMs = found.expiresAt?.getTime() ?? Infinity;
    remembered.set(key, { found, untilMs: Math.min(endMs, nowMs() + forMs) });
    return found;
  };
}
