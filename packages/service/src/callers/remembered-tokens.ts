import { hash } from 'node:crypto';
import { AppError } from '@junction/errors';

/**
 * Longest time for which a credential that auth takes back is still accepted here, unless a revocation arrives before.
 */
export const REMEMBERED_MS = 60_000;
const REMEMBERED_MAX = 10_000;

/** Holder of a credential, with the time at which the credential ends. */
interface Holder {
  readonly expiresAt?: Date | undefined;
}

/** Pause after a check that nobody answered, so that no request in between waits for the next one. */
const AGAIN_MS = 5_000;

export interface RememberOptions {
  readonly forMs?: number;
  /**
   * Milliseconds for which the last check counts on while nobody answers the next (AppError `unavailable`), of a
   * credential that was used within `forMs`. Absent: 0.
   */
  readonly awayMs?: number;
  readonly nowMs?: () => number;
}

/** Finding of the last check, until when it counts, when it was made, and when it was asked for last. */
interface Remembered<Found> {
  readonly found: Found;
  readonly checkedMs: number;
  untilMs: number;
  usedMs: number;
}

/**
 * Checks a recurring credential only once a minute, or once in `forMs`: checking a signature is a good part of a short
 * call, and checking an API key with auth is a call of its own. A credential is never remembered beyond its end, nor
 * when it was refused.
 */
export function rememberTokens<Found extends Holder | undefined>(
  check: (credential: string) => Promise<Found>,
  { forMs = REMEMBERED_MS, awayMs = 0, nowMs = Date.now }: RememberOptions = {},
): (credential: string) => Promise<Found> {
  const remembered = new Map<string, Remembered<Found>>();

  const remember = (key: string, found: Found): void => {
    // Should there be very many, all begin anew rather than grow.
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    const [checkedMs, usedMs] = [nowMs(), nowMs()];
    const untilMs = Math.min(endOf(found), nowMs() + forMs);
    remembered.set(key, { found, checkedMs, usedMs, untilMs });
  };
  const stillCounts = ({ found, checkedMs, usedMs }: Remembered<Found>): boolean =>
    nowMs() < Math.min(usedMs + forMs, checkedMs + awayMs, endOf(found));

  return async (credential) => {
    const key = hash('sha256', credential, 'base64');
    const known = remembered.get(key);
    if (known !== undefined && nowMs() < known.untilMs) {
      known.usedMs = nowMs();
      return known.found;
    }
    try {
      const found = await check(credential);
      remembered.delete(key);
      if (found !== undefined) remember(key, found);
      return found;
    } catch (error) {
      const isAway = error instanceof AppError && error.kind === 'unavailable';
      if (known !== undefined && isAway && stillCounts(known)) {
        known.usedMs = nowMs();
        known.untilMs = Math.min(endOf(known.found), nowMs() + AGAIN_MS);
        return known.found;
      }
      remembered.delete(key);
      throw error;
    }
  };
}

const endOf = (found: Holder | undefined): number => found?.expiresAt?.getTime() ?? Infinity;
