import { AppError } from '@junction/errors';
import type { Ports, Visitor } from '../ports.js';
import { hashOfSecret } from '../secret-hash.js';
import type { Tokens } from '../session-tokens.js';
import { startSession } from '../start-session.js';
import type { FactorProof, PasskeyAssertion } from './ports.js';
import { type FactorMethod, passkeyShown, proveFactor, provePasskey } from './prove-factor.js';

export interface Device {
  readonly device?: string | undefined;
}

/** AppError `invalid_second_factor`: nothing tells whether the token or the proof is not good. */
export const finishSignIn =
  (ports: Ports, refreshTokenTtlMs: number) =>
  async ({
    mfaToken,
    proof,
    visitor,
    device,
  }: Device & {
    readonly mfaToken: string;
    readonly proof: FactorProof;
    readonly visitor: Visitor;
  }): Promise<Tokens> => {
    const { factors, now } = ports;
    const tokenHash = hashOfSecret(mfaToken);
    const userId = await factors.pendingUser(tokenHash, now());
    if (userId === undefined) throw invalidFactor();
    const passwordHash = await ports.accounts.passwordHash(userId);
    const method = factorOf(
      await ports.limits.secondFactor({ userId, visitor }, async () => {
        // Taken in turn, so that nobody loses a try to being told to wait.
        if ((await factors.tryPendingLogin(tokenHash, now())) === undefined) throw invalidFactor();
        return proveFactor(ports, userId, proof);
      }),
    );
    if (!(await factors.endPendingLogin(tokenHash))) throw invalidFactor();
    const shown = { provedAt: now(), amr: ['pwd', method, 'mfa'] };
    const session = { userId, device, proof: shown, passwordHash };
    return startSession(ports, session, refreshTokenTtlMs);
  };

/** Signs in by a passkey alone: it is something one has, and verified its user. AppError `invalid_second_factor`. */
export const signInByPasskey =
  (ports: Ports, refreshTokenTtlMs: number) =>
  async ({
    assertion,
    visitor,
    device,
  }: Device & {
    readonly assertion: PasskeyAssertion;
    readonly visitor: Visitor;
  }): Promise<Tokens> => {
    const userId = await ports.limits.mailedToken(visitor, async () =>
      provePasskey(ports, assertion),
    );
    if (userId === undefined) throw invalidFactor();
    const passwordHash = await ports.accounts.passwordHash(userId);
    // Removed with a change of the password, which is seen when the session begins, or before.
    if ((await passkeyShown(ports, assertion))?.userId !== userId) throw invalidFactor();
    const proof = { provedAt: ports.now(), amr: ['hwk', 'mfa'] };
    return startSession(ports, { userId, device, proof, passwordHash }, refreshTokenTtlMs);
  };

/** The method by which a factor was shown. AppError `invalid_second_factor` where none was. */
export function factorOf(method: FactorMethod | undefined): FactorMethod {
  if (method === undefined) throw invalidFactor();
  return method;
}

export const invalidFactor = (): AppError =>
  new AppError(
    'invalid_second_factor',
    'The code or passkey is not right, or was used, or this sign-in is over.',
  );
