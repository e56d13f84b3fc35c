import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call, isSignedOut } from '../api/client.js';
import type { Answer, User } from '../api/types.js';
import { askPasskey, type FactorProof } from './second-factor.js';

const ME = '/api/auth/me';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

/** The signed-in user; null without one. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<User | null> => {
    try {
      return (await call<Answer<typeof ME, 'get'>>('GET', ME, { signal })).user;
    } catch (error) {
      if (isSignedOut(error)) return null;
      throw error;
    }
  },
});

export const signIn = (queries: QueryClient, credentials: Credentials): Promise<void> =>
  openSession(queries, '/api/auth/session', credentials);

/** The second step of a sign-in. */
export const finishSignIn = (
  queries: QueryClient,
  mfaToken: string,
  proof: FactorProof,
): Promise<void> =>
  openSession(queries, '/api/auth/session/second-factor', { mfa_token: mfaToken, ...proof });

/** Without a password. */
export const signInByPasskey = async (queries: QueryClient): Promise<void> =>
  openSession(queries, '/api/auth/session/passkey', await askPasskey());

/** Whatever was seen as somebody else is forgotten with the old session. */
async function openSession(queries: QueryClient, path: string, body: object): Promise<void> {
  await call('POST', path, { body });
  queries.clear();
  await queries.fetchQuery(sessionQuery);
}

/** Makes the account and signs in to it. */
export async function signUp(queries: QueryClient, credentials: Credentials): Promise<void> {
  await call('POST', '/api/auth/register', { body: credentials });
  await signIn(queries, credentials);
}

export async function signOut(queries: QueryClient): Promise<void> {
  await call('DELETE', '/api/auth/session');
  forgetSession(queries);
}

/** After the end of the session: nothing that was seen in it stays. */
export function forgetSession(queries: QueryClient): void {
  queries.clear();
  queries.setQueryData(sessionQuery.queryKey, null);
}
