import { call } from '../api/client.js';
import type { Body } from '../api/types.js';
import { askPasskey, type FactorProof } from './second-factor.js';

export type Credentials = Body<'/api/auth/session', 'post'>;

export const signIn = (credentials: Credentials) =>
  call('post', '/api/auth/session', { body: credentials });

/** The second step of a sign-in. */
export const finishSignIn = (mfaToken: string, proof: FactorProof) =>
  call('post', '/api/auth/session/second-factor', { body: { mfa_token: mfaToken, ...proof } });

/** Without a password. */
export const signInByPasskey = async () =>
  call('post', '/api/auth/session/passkey', { body: await askPasskey() });

/** Makes the account and signs in to it. */
export async function signUp(credentials: Credentials): Promise<void> {
  await call('post', '/api/auth/register', { body: credentials });
  await signIn(credentials);
}
