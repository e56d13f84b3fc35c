import { prove } from '../check-password.js';
import type { Ports, Visitor } from '../ports.js';
import { type FactorProof, hasFactor, type SecondFactors } from '../second-factor/ports.js';
import { hashOfSecret } from '../secret-hash.js';
import type { Tokens } from '../session-tokens.js';
import { invalidCredentials, startSession } from '../start-session.js';

const PENDING_MS = 5 * 60_000;
const TRIES = 5;
const TOKEN_BYTES = 32;
const SECOND_MS = 1_000;

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
    if (proved.hasFactor) {
      const factors = await ports.factors.of(userId);
      if (hasFactor(factors)) return pendingSignIn(ports, proved, factors);
    }
    return startSession(ports, { userId, device, passwordHash }, refreshTokenTtlMs);
  };

/** A login whose password was right, and which waits for the second factor. */
export interface PendingSignIn {
  readonly mfaToken: string;
  readonly methods: readonly FactorProof['kind'][];
  readonly expiresInS: number;
}

/** AppError `invalid_credentials` for a user who was deleted, or changed the password, a moment ago. */
async function pendingSignIn(
  { factors, random, now }: Ports,
  shown: { readonly userId: string; readonly passwordHash: string },
  { totpSince, passkeys, recoveryCodesLeft }: SecondFactors,
): Promise<PendingSignIn> {
  const mfaToken = `jn_mfa_${random(TOKEN_BYTES).toString('base64url')}`;
  const expiresAt = new Date(now().getTime() + PENDING_MS);
  const tokenHash = hashOfSecret(mfaToken);
  const isKept = await factors.keepPendingLogin({
    ...shown,
    tokenHash,
    triesLeft: TRIES,
    expiresAt,
  });
  if (!isKept) throw invalidCredentials();
  const methods = [
    ...(totpSince === null ? [] : (['totp'] as const)),
    ...(passkeys.length === 0 ? [] : (['passkey'] as const)),
    ...(recoveryCodesLeft === 0 ? [] : (['recovery_code'] as const)),
  ];
  return { mfaToken, methods, expiresInS: PENDING_MS / SECOND_MS };
}
