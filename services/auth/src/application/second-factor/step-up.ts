import { AppError } from '@junction/errors';
import { checkPassword } from '../check-password.js';
import { guessed } from '../guessed.js';
import type { Ports, Visitor } from '../ports.js';
import type { Authentication, SessionCaller } from '../session/ports.js';
import { accessTokenOf } from '../session-tokens.js';
import { type FactorProof, hasFactor } from './ports.js';
import { proveFactor } from './prove-factor.js';
import { factorOf } from './sign-in-with-factor.js';

/** The password counts for a user without a second factor alone. */
export type StepUpProof = FactorProof | { readonly kind: 'password'; readonly password: string };

export interface StepUpRequest {
  readonly proof: StepUpProof;
  readonly visitor: Visitor;
}

/**
 * A proof within a session: what asks for a recent one is open for a while. AppError `invalid_second_factor`;
 * `invalid_password`, `too_many_attempts`, `too_busy`; `account_elsewhere` for a trusted issuer's user.
 */
export const stepUp =
  (ports: Ports) =>
  async (
    caller: SessionCaller,
    request: StepUpRequest,
  ): Promise<{ readonly accessToken: string; readonly expiresInS: number }> => {
    const authentication = await authenticate(ports, caller, request);
    const accessToken = await accessTokenOf(ports, { ...caller, ...authentication });
    return { accessToken, expiresInS: ports.accessTokens.lifetimeS };
  };

async function authenticate(
  ports: Ports,
  caller: SessionCaller,
  { proof, visitor }: StepUpRequest,
): Promise<Authentication> {
  const { userId, sessionId } = caller;
  if (proof.kind !== 'password') {
    const method = factorOf(
      await guessed(ports, { sessionId, kind: 'factor', visitor }, async () =>
        proveFactor(ports, userId, proof),
      ),
    );
    const authenticatedAt = ports.now();
    const factor = { provedAt: authenticatedAt, amr: ['pwd', method, 'mfa'] };
    await ports.sessions.proveFactor(sessionId, factor);
    return { authenticatedAt, proof: factor };
  }
  if (hasFactor(await ports.factors.of(userId))) throw factorWanted();
  await checkPassword(ports, caller, { password: proof.password, visitor });
  const authenticatedAt = ports.now();
  await ports.sessions.provePassword(sessionId, authenticatedAt);
  return { authenticatedAt };
}

const factorWanted = (): AppError =>
  new AppError(
    'invalid_second_factor',
    'This account has a second factor. Show that, and not the password.',
  );
