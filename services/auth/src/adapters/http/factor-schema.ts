import { AppError, type ProblemCode } from '@junction/errors';
import { requestIdOf, toProblem } from '@junction/service/http';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { FactorProof } from '../../application/second-factor/ports.js';
import type { StepUpProof } from '../../application/second-factor/step-up.js';
import type { PendingSignIn } from '../../application/session/login.js';
import type { Tokens } from '../../application/session-tokens.js';
import { knownPassword } from './credentials-schema.js';

const CODE_MAX = 40;
const MEMBERS_MAX = 20;

export const LOGIN_PROBLEMS: readonly ProblemCode[] = [
  'invalid_credentials',
  'second_factor_required',
  'too_many_attempts',
  'too_busy',
];
export const SECOND_STEP_PROBLEMS: readonly ProblemCode[] = [
  'invalid_second_factor',
  'too_many_attempts',
];
export const PASSKEY_PROBLEMS: readonly ProblemCode[] = [
  'invalid_second_factor',
  'too_many_attempts',
];

const code = z.string().min(1).max(CODE_MAX);

/** The answer of navigator.credentials; the library that verifies the answer knows its members. */
export const passkeyAssertion = z.strictObject({
  challenge_id: z.string().min(1).max(100),
  response: z
    .record(z.string(), z.unknown())
    .refine((response) => Object.keys(response).length <= MEMBERS_MAX, 'has too many members'),
});

/** The three ways to show a factor. A request takes a single one, beside the other fields of its route. */
const ways = {
  totp_code: code.optional(),
  recovery_code: code.optional(),
  passkey: passkeyAssertion.optional(),
};

type Ways = z.infer<z.ZodObject<typeof ways>>;

const countOf = ({ totp_code, recovery_code, passkey }: Ways): number =>
  [totp_code, recovery_code, passkey].filter((way) => way !== undefined).length;
const isOne = (shown: Ways): boolean => countOf(shown) === 1;
const ONE = 'must hold one of totp_code, recovery_code and passkey';

/** In a session: a factor, or the password of a user who has none. */
export const stepUpProof = z
  .strictObject({ ...ways, password: knownPassword.optional() })
  .refine(
    ({ password, ...factor }) => countOf(factor) + (password === undefined ? 0 : 1) === 1,
    'must hold one of totp_code, recovery_code, passkey and password',
  )
  .transform(
    ({ password, ...factor }): StepUpProof =>
      password === undefined ? proofOf(factor) : { kind: 'password', password },
  );

export const secondStep = z
  .strictObject({ mfa_token: z.string().min(1).max(200), ...ways })
  .refine(isOne, ONE)
  .transform(({ mfa_token: mfaToken, ...proof }) => ({ mfaToken, proof: proofOf(proof) }));

function proofOf({ totp_code, recovery_code, passkey }: Ways): FactorProof {
  if (totp_code !== undefined) return { kind: 'totp', code: totp_code };
  if (recovery_code !== undefined) return { kind: 'recovery_code', code: recovery_code };
  return { kind: 'passkey', assertion: assertionOf(passkey) };
}

export const assertionOf = (passkey: z.infer<typeof passkeyAssertion> | undefined) => ({
  challengeId: passkey?.challenge_id ?? '',
  response: passkey?.response ?? {},
});

export const isPending = (outcome: Tokens | PendingSignIn): outcome is PendingSignIn =>
  'mfaToken' in outcome;

/** The password was right: a problem that carries what the next step needs (RFC 9457, section 3.2). */
export function sendSecondFactorRequired(
  { path }: Request,
  res: Response,
  { mfaToken, methods, expiresInS }: PendingSignIn,
): void {
  const error = new AppError(
    'second_factor_required',
    'The password is right. Show the second factor within five minutes, with mfa_token.',
  );
  const problem = toProblem(error, path, requestIdOf(res));
  res
    .status(problem.status)
    .type('application/problem+json')
    .send(JSON.stringify({ ...problem, mfa_token: mfaToken, methods, expires_in: expiresInS }));
}
