import { cookieOf } from '@junction/service/callers';
import type { CookieOptions, Request, Response } from 'express';
import { z } from 'zod';

/** Lax, because the browser comes back from another site. */
const COOKIE = '__Host-jn_si';
const GUARDED: CookieOptions = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' };
const PENDING_MS = 10 * 60_000;
const SECOND_MS = 1_000;

/** Seals what a browser keeps for us. `open` throws for what was not sealed for the same place. */
export interface CookieSealing {
  seal(plaintext: Buffer, aad: string): Buffer | Promise<Buffer>;
  open(sealed: Buffer, aad: string): Buffer | Promise<Buffer>;
}

const pendingSchema = z.object({
  issuerId: z.string(),
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  untilMs: z.number(),
  /**
   * The session whose issuer is asked again, and the page that its user was on; absent when a session is to begin.
   */
  again: z.object({ sessionId: z.string(), next: z.string() }).optional(),
});
type Pending = z.infer<typeof pendingSchema>;

export type PendingSignIn = ReturnType<typeof pendingSignIn>;

/** Keeps a sign-in that has to come back from an issuer, sealed in a cookie for ten minutes. */
export const pendingSignIn = (sealing: CookieSealing) => ({
  set: async (res: Response, pending: Omit<Pending, 'untilMs'>): Promise<void> => {
    const content = JSON.stringify({ ...pending, untilMs: Date.now() + PENDING_MS });
    const sealed = await sealing.seal(Buffer.from(content), COOKIE);
    const maxAge = PENDING_MS - SECOND_MS;
    res.cookie(COOKIE, sealed.toString('base64url'), { ...GUARDED, maxAge });
  },

  /**
   * Takes the sign-in that this browser has begun with this state; a sign-in counts once. Undefined where there is
   * none. A sign-in that another window of the browser has begun since stays.
   */
  take: async (req: Request, res: Response, state: unknown): Promise<Pending | undefined> => {
    const found = await read(sealing, cookieOf(req, COOKIE));
    if (found?.state !== state) return undefined;
    res.clearCookie(COOKIE, GUARDED);
    return found;
  },
});

/** Undefined for one that is absent, too old or not ours. */
async function read(
  sealing: CookieSealing,
  value: string | undefined,
): Promise<Pending | undefined> {
  if (value === undefined) return undefined;
  try {
    const text = await sealing.open(Buffer.from(value, 'base64url'), COOKIE);
    const found = pendingSchema.parse(JSON.parse(text.toString()));
    return found.untilMs > Date.now() ? found : undefined;
  } catch {
    return undefined;
  }
}
