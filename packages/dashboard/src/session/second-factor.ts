import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser';
import { call } from '../api/client.js';
import { ProblemError } from '../api/problem.js';

export type FactorMethod = 'totp' | 'passkey' | 'recovery_code';

/** As the API takes it: one of the three. */
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

/** What the refusal of a sign-in carries when the second factor is all that it lacks. */
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

/** Asks the browser for a passkey: of the sign-in that waits for it, or of whoever has one here. */
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
