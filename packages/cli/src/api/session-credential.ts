import type { Credential, Tokens } from '@junction/client';
import { Failure } from '../failure.js';
import { connectTo } from './connect.js';
import type { Session, SessionFile } from './session-file.js';

type UserSession = Extract<Session, { readonly access_token: string }>;

/** A token is renewed this long before it ends, so that it lasts for the request. */
const AHEAD_MS = 30_000;

export const sessionOf = (
  url: string,
  tokens: Pick<Tokens, 'access_token' | 'refresh_token' | 'expires_in'>,
): UserSession => ({
  url,
  access_token: tokens.access_token,
  refresh_token: tokens.refresh_token,
  expires_at: new Date(Date.now() + tokens.expires_in * 1_000).toISOString(),
});

/**
 * Returns the credential of the user whom the file knows at `url`. At any other URL the command has none, so that no
 * token goes elsewhere.
 */
export function sessionCredential(file: SessionFile, url: string): Credential | undefined {
  const session = file.read();
  if (session?.url !== url) return undefined;
  if ('api_key' in session) return { token: session.api_key };
  let current = session;
  let renewing: Promise<string> | undefined;
  const renew = (spent: string): Promise<string> => {
    renewing ??= renewedIn(file, url, spent)
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
    async token(refused) {
      const { access_token: token, expires_at: end } = current;
      const isFresh = token !== refused && Date.parse(end) - AHEAD_MS > Date.now();
      return isFresh ? token : renew(token);
    },
  };
}

/**
 * A refresh token works once, and one that is shown twice ends its session: so one process at a time asks, and the
 * others take what it got.
 */
const renewedIn = async (file: SessionFile, url: string, spent: string): Promise<UserSession> =>
  file.alone(async () => {
    const session = file.read();
    if (session?.url !== url || !('refresh_token' in session)) {
      throw new Failure('Somebody logged out meanwhile. Log in again: junction login');
    }
    if (session.access_token !== spent) return session;
    const body = { refresh_token: session.refresh_token };
    const renewed = sessionOf(url, await connectTo(url).post('/api/auth/refresh', { body }));
    file.write(renewed);
    return renewed;
  });
