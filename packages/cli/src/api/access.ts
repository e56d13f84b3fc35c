import { Failure } from '../failure.js';
import { type Access, apiAt, bearing, NOBODY } from './api.js';
import type { Session, SessionFile } from './session-file.js';

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
}

type UserSession = Extract<Session, { readonly access_token: string }>;

/** A token is renewed this long before it ends, so that it lasts for the request. */
const AHEAD_MS = 30_000;

export const sessionOf = (url: string, tokens: Tokens): UserSession => ({
  url,
  access_token: tokens.access_token,
  refresh_token: tokens.refresh_token,
  expires_at: new Date(Date.now() + tokens.expires_in * 1_000).toISOString(),
});

/**
 * Returns the access of the user whom the file knows at `url`. At any other URL the command has none, so that no
 * token goes elsewhere.
 */
export function accessOf(file: SessionFile, url: string): Access {
  const session = file.read();
  if (session?.url !== url) return NOBODY;
  if ('api_key' in session) return bearing(session.api_key);
  let current = session;
  let renewing: Promise<string> | undefined;
  const renew = (refused: string): Promise<string> => {
    renewing ??= renewedIn(file, url, refused)
      .then((session) => {
        current = session;
        return session.access_token;
      })
      .finally(() => {
        renewing = undefined;
      });
    return renewing;
  };
  return {
    async token() {
      const isFresh = Date.parse(current.expires_at) - AHEAD_MS > Date.now();
      return isFresh ? current.access_token : renew(current.access_token);
    },
    renewed: renew,
  };
}

/**
 * A refresh token works once, and one that is shown twice ends its session: so one process at a time asks, and the
 * others take what it got.
 */
const renewedIn = async (file: SessionFile, url: string, refused: string): Promise<UserSession> =>
  file.alone(async () => {
    const session = file.read();
    if (session?.url !== url || !('refresh_token' in session)) {
      throw new Failure('Somebody logged out meanwhile. Log in again: junction login');
    }
    if (session.access_token !== refused) return session;
    const body = { refresh_token: session.refresh_token };
    const tokens = await apiAt(url, NOBODY).call<Tokens>('POST', '/api/auth/refresh', { body });
    const renewed = sessionOf(url, tokens);
    file.write(renewed);
    return renewed;
  });
