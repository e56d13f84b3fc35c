import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import { call } from '../api/client.js';
import { ProblemError } from '../api/problem.js';

export type FactorMethod = 'totp' | 'passkey' | 'recovery_code';

/** Proof of a second factor, as the API takes it: one of the three. */
export type FactorProof =
  | { readonly totp_code: string }
  | { readonly recovery_code: string }
  | { readonly passkey: PasskeyProof };

export interface PasskeyProof {
  readonly challenge_id: string;
  readonly response: object;
}

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

interface Challenge {
  readonly challenge_id: string;
  readonly options: PublicKeyCredentialRequestOptionsJSON;
}

/**
 * Asks the browser for a passkey: one of the user whose sign-in waits, or without `mfaToken` any that it has for this
 * site.
 */
export async function askPasskey(mfaToken?: string): Promise<PasskeyProof> {
  const body = mfaToken === undefined ? {} : { mfa_token: mfaToken };
  const { challenge_id, options } = await call<Challenge>(
    'POST',
    '/api/auth/passkeys/authentication-options',
    { body },
  );
  const { startAuthentication } = await import('@simplewebauthn/browser');
  return { challenge_id, response: await startAuthentication({ optionsJSON: options }) };
}
