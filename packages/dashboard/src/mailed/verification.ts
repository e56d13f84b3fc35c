import { queryOptions } from '@tanstack/react-query';
import { call } from '../api/client.js';
import { ProblemError } from '../api/problem.js';
import type { Body } from '../api/types.js';
import { sessionQuery } from '../session/session.js';
import { mailedToken } from './mailed-token.js';

/** The outcome for the account. */
export type Verified = 'kept' | 'begun_anew';

export type RegistrantProof = Omit<Body<'/api/auth/verify-email', 'post'>, 'token'>;

/** The session is the proof where no other is given. */
export async function verify(proof: RegistrantProof = {}): Promise<Verified> {
  await call('post', '/api/auth/verify-email', { body: { token: mailedToken ?? '', ...proof } });
  return proof.new_password === undefined ? 'kept' : 'begun_anew';
}

/** The token counts once, so the page asks once. */
export const verificationQuery = queryOptions({
  queryKey: ['verification'],
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  refetchOnMount: false,
  async queryFn({ client }): Promise<Verified> {
    // Renews a session that ran out, and takes away one that ended.
    await client.fetchQuery(sessionQuery);
    const verified = await verify();
    await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
    return verified;
  },
});

const ABOUT_REGISTRANT = ['registrant_unknown', 'password_required'];

/** The link counts, and does not say whose account it is. */
export const isAboutRegistrant = (error: unknown): error is ProblemError =>
  error instanceof ProblemError && ABOUT_REGISTRANT.includes(error.problem.code);
