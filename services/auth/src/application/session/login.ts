import type { Ports, Visitor } from '../ports.js';
import { hasFactor } from '../second-factor/ports.js';
import { type PendingSignIn, pendingSignIn } from '../second-factor/sign-in-with-factor.js';
import type { Tokens } from './session-tokens.js';
import { invalidCredentials, startSession } from './start-session.js';

export interface LoginRequest {
  readonly email: string;
  readonly password: string;
  readonly visitor: Visitor;
  /** The device of the session, as its user would recognise it. */
  readonly device?: string | undefined;
}

/**
 * Starts a session, or says that the second factor is to be shown first. AppError `invalid_credentials`, the same for a
 * wrong password and an unknown address; `too_many_attempts`; `too_busy`.
 */
export const login =
  (ports: Ports, refreshTokenTtlMs: number) =>
  async ({ email, password, visitor, device }: LoginRequest): Promise<Tokens | PendingSignIn> => {
    const proved = await ports.limits.login({ email, visitor }, () =>
      prove(ports, email, password),
    );
    if (proved === undefined) throw invalidCredentials();
    const { userId, passwordHash } = proved;
    const factors = await ports.factors.of(userId);
    if (hasFactor(factors)) return pendingSignIn(ports, proved, factors);
    return startSession(ports, { userId, device, passwordHash }, refreshTokenTtlMs);
  };

/** The user whose password this is, with its hash. An unknown address takes as long to refuse as a known one. */
export async function prove(
  { accounts, passwords }: Ports,
  email: string,
  password: string,
): Promise<{ readonly userId: string; readonly passwordHash: string } | undefined> {
  const known = await accounts.credential(email);
  const isRight = await passwords.verify(known?.passwordHash, password);
  return isRight ? known : undefined;
}
