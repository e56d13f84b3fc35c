import { AppError } from '@junction/errors';
import { sessionDecider } from '../../domain/session/decider.js';
import type { Ports, Visitor } from '../ports.js';
import { streamOf } from '../streams.js';
import { revokeSession } from './revoke-session.js';
import { newRefreshToken, type Tokens, tokensOf } from './session-tokens.js';

/** An API client that logs in for every run and never logs out would otherwise open them for ever. */
const SESSIONS_PER_USER_MAX = 100;

export interface LoginRequest {
  readonly email: string;
  readonly password: string;
  readonly visitor: Visitor;
  /** What the session is begun on, as its user would recognise it. */
  readonly device?: string | undefined;
}

/**
 * Starts a session. AppError `invalid_credentials`, the same for a wrong password and an unknown
 * address; `too_many_attempts`; `too_busy`.
 */
export const login =
  (ports: Ports, refreshTokenTtlMs: number) =>
  async ({ email, password, visitor, device }: LoginRequest): Promise<Tokens> => {
    const userId = await ports.limits.login({ email, visitor }, () =>
      prove(ports, email, password),
    );
    if (userId === undefined) throw invalidCredentials();

    for (const sessionId of await ports.sessions.beyond(userId, SESSIONS_PER_USER_MAX - 1)) {
      await revokeSession(ports, sessionId, 'superseded');
    }
    return startSession(ports, { userId, device }, refreshTokenTtlMs);
  };

/** The user whose password this is. An unknown address takes as long to refuse as a known one. */
export async function prove(
  { accounts, passwords }: Ports,
  email: string,
  password: string,
): Promise<string | undefined> {
  const known = await accounts.credential(email);
  const isRight = await passwords.verify(known?.passwordHash, password);
  return isRight ? known?.userId : undefined;
}

async function startSession(
  ports: Ports,
  { userId, device }: { readonly userId: string } & Pick<LoginRequest, 'device'>,
  ttlMs: number,
): Promise<Tokens> {
  const sessionId = ports.newSessionId();
  const first = newRefreshToken(ports, ttlMs);
  const data = { sessionId, userId, at: first.issuedAt.toISOString() };
  const events = sessionDecider.decide({ type: 'StartSession', data }, sessionDecider.initialState);

  const append = { streamId: streamOf.session(sessionId), expected: 'none' as const, events };
  const started = await ports.sessions.start(append, { sessionId, first, device });
  // Deleted between the password and the session: what was right a moment ago is wrong now.
  if (!started) throw invalidCredentials();
  return tokensOf(ports, { userId, sessionId }, first.token);
}

const invalidCredentials = (): AppError =>
  new AppError(
    'unauthenticated',
    'invalid_credentials',
    'The e-mail address or the password is wrong.',
  );
