import { AppError } from '@junction/errors';
import type { Ports } from './ports.js';
import { revokeSession } from './revoke-session.js';
import type { AccountOfSession, FactorShown, TokenSession } from './session/ports.js';
import { newRefreshToken, type Tokens, tokensOf } from './session-tokens.js';
import type { Transaction } from './unit-of-work.js';

/** An API client that logs in for every run and never logs out would otherwise open them for ever. */
const SESSIONS_PER_USER_MAX = 100;

export interface BegunSession {
  readonly userId: string;
  /** The device of the session, as its user would recognise it. */
  readonly device?: string | undefined;
  /** How the second factor was shown; absent: the user has none. */
  readonly proof?: FactorShown | undefined;
  /**
   * The hash of the password that was shown, or that counted before a factor was shown; absent where the user has
   * none.
   */
  readonly passwordHash?: string | undefined;
}

/** A session with its first refresh token. */
export interface StartedSession extends TokenSession {
  readonly account: AccountOfSession;
  readonly refreshToken: string;
}

/** Begins a session. AppError `invalid_credentials` for a user who was deleted, or added a factor, a moment ago. */
export async function startSession(
  ports: Ports,
  begun: BegunSession,
  ttlMs: number,
): Promise<Tokens> {
  const { passwordHash, proof } = begun;
  const session = await ports.unitOfWork.inTransaction(async (tx) => {
    const started = await addSession(tx, ports, begun, ttlMs).catch(refuseGone);
    // The row of the session has waited for a change of the password, and for whoever was adding the first factor.
    const { account } = started;
    const hasOtherPassword = passwordHash !== undefined && account.passwordHash !== passwordHash;
    const lacksFactor = proof === undefined && account.hasFactor;
    if (account.isClosed || hasOtherPassword || lacksFactor) throw invalidCredentials();
    return started;
  });
  for (const sessionId of session.account.superseded) {
    await revokeSession(ports, sessionId, 'superseded');
  }
  return tokensOf(ports, session, session.refreshToken);
}

/** Starts a session in a transaction of the caller's. AppError `unauthenticated` for a user who is gone. */
export async function addSession(
  tx: Transaction,
  ports: Ports,
  { userId, device, proof }: BegunSession,
  ttlMs: number,
): Promise<StartedSession> {
  const sessionId = ports.newSessionId();
  const first = newRefreshToken(ports, ttlMs);
  await tx.startSession({ sessionId, userId, at: first.issuedAt.toISOString() });
  const othersMax = SESSIONS_PER_USER_MAX - 1;
  const account = await tx.sessions.add({ sessionId, userId, first, device, proof, othersMax });
  const authenticatedAt = proof?.provedAt ?? first.issuedAt;
  return { userId, sessionId, account, authenticatedAt, proof, refreshToken: first.token };
}

/** The credentials of a user who was deleted meanwhile were right, and are wrong now. */
function refuseGone(error: unknown): never {
  throw AppError.from(error).code === 'unauthenticated' ? invalidCredentials() : error;
}

export const invalidCredentials = (): AppError =>
  new AppError('invalid_credentials', 'The e-mail address or the password is wrong.');
