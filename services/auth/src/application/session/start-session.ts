import { AppError } from '@junction/errors';
import { sessionDecider } from '../../domain/session/decider.js';
import type { Ports } from '../ports.js';
import { streamOf } from '../streams.js';
import type { FactorShown } from './ports.js';
import { revokeSession } from './revoke-session.js';
import { newRefreshToken, type Tokens, tokensOf } from './session-tokens.js';

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

/** Begins a session. AppError `invalid_credentials` for a user who was deleted, or added a factor, a moment ago. */
export async function startSession(
  ports: Ports,
  { userId, device, proof, passwordHash }: BegunSession,
  ttlMs: number,
): Promise<Tokens> {
  for (const sessionId of await ports.sessions.beyond(userId, SESSIONS_PER_USER_MAX - 1)) {
    await revokeSession(ports, sessionId, 'superseded');
  }
  const sessionId = ports.newSessionId();
  const first = newRefreshToken(ports, ttlMs);
  const data = { sessionId, userId, at: first.issuedAt.toISOString() };
  const events = sessionDecider.decide({ type: 'StartSession', data }, sessionDecider.initialState);

  const append = { streamId: streamOf.session(sessionId), expected: 'none' as const, events };
  const session = { userId, sessionId, first, device, proof, passwordHash };
  const started = await ports.sessions.start(append, session);
  // Deleted, with another password, or asked for a factor since: what was right is wrong now.
  if (!started) throw invalidCredentials();
  const authenticatedAt = proof?.provedAt ?? first.issuedAt;
  return tokensOf(ports, { userId, sessionId, authenticatedAt, proof }, first.token);
}

export const invalidCredentials = (): AppError =>
  new AppError('invalid_credentials', 'The e-mail address or the password is wrong.');
