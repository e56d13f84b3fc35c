import { call } from '../api/client.js';
import { askPasskey, type FactorProof } from './second-factor.js';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export const signIn = (credentials: Credentials): Promise<void> =>
  call('POST', '/api/auth/session', { body: credentials });

/** The second step of a sign-in. */
export const finishSignIn = (mfaToken: string, proof: FactorProof): Promise<void> =>
  call('POST', '/api/auth/session/second-factor', { body: { mfa_token: mfaToken, ...proof } });

/** Without a password. */
export const signInByPasskey = async (): Promise<void> =>
  call('POST', '/api/auth/session/passkey', { body: await askPasskey() });

/** Makes the account and signs in to it. */
export async function signUp(credentials: Credentials): Promise<void> {
  await call('POST', '/api/auth/register', { body: credentials });
  await signIn(credentials);
}
