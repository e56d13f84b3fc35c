import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import { call } from '../api/client.js';
import { ProblemError } from '../api/problem.js';
import type { Body } from '../api/types.js';

export type FactorMethod = 'totp' | 'passkey' | 'recovery_code';

/** Proof of a second factor: one of the three. */
export type FactorProof = Omit<Body<'/api/auth/session/second-factor', 'post'>, 'mfa_token'>;

type PasskeyProof = Body<'/api/auth/session/passkey', 'post'>;

/** A sign-in whose password was right. */
export interface SecondStep {
  readonly mfa_token: string;
  readonly methods: readonly FactorMethod[];
}

/** Returns the second step that a refused sign-in demands; undefined when the sign-in failed for another reason. */
export function secondStepIn(error: unknown): SecondStep | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  const { problem } = error;
  return problem.code === 'second_factor_required'
    ? (problem as typeof problem & SecondStep)
    : undefined;
}

/**
 * Asks the browser for a passkey: one of the user whose sign-in waits, or without `mfaToken` any that it has for this
 * site.
 */
export async function askPasskey(mfaToken?: string): Promise<PasskeyProof> {
  const body = mfaToken === undefined ? {} : { mfa_token: mfaToken };
  const path = '/api/auth/passkeys/authentication-options';
  const { challenge_id, options } = await call('post', path, { body });
  const { startAuthentication } = await import('@simplewebauthn/browser');
  const optionsJSON = options as object as PublicKeyCredentialRequestOptionsJSON;
  return { challenge_id, response: { ...(await startAuthentication({ optionsJSON })) } };
}
