import { AppError } from '@junction/errors';
import { sessionDecider } from '../domain/session/decider.js';
import type { Needs } from './needs.js';
import { newRefreshToken, type Tokens, tokensOf } from './session-tokens.js';
import { streamOf } from './streams.js';

/** An API client that logs in for every run and never logs out would otherwise open them for ever. */
const SESSIONS_PER_USER_MAX = 100;

export interface LoginVerbs {
  /**
   * Starts a session. AppError `invalid_credentials`, the same for a wrong password and an unknown
   * address; `too_many_attempts`; `too_busy`.
   */
  login(attempt: {
    readonly email: string;
    readonly password: string;
    readonly ip: string;
  }): Promise<Tokens>;
}

export function loginVerbs(needs: Needs, refreshTokenTtlMs: number): LoginVerbs {
  const { accounts, passwords, limits } = needs;

  /** Nobody's password is compared as long as somebody's. */
  const prove = async (email: string, password: string): Promise<string | undefined> => {
    const known = await accounts.credential(email);
    const isRight = await passwords.verify(known?.passwordHash, password);
    return isRight ? known?.userId : undefined;
  };

  return {
    async login({ email, password, ip }) {
      const userId = await limits.login({ email, ip }, () => prove(email, password));
      if (userId === undefined) throw invalidCredentials();

      await makeRoom(needs, userId);
      return startSession(needs, userId, refreshTokenTtlMs);
    },
  };
}

async function makeRoom({ sessions, handleSession, now }: Needs, userId: string): Promise<void> {
  for (const sessionId of await sessions.beyond(userId, SESSIONS_PER_USER_MAX - 1)) {
    const data = { reason: 'superseded' as const, at: now().toISOString() };
    await handleSession(streamOf.session(sessionId), { type: 'RevokeSession', data });
  }
}

async function startSession(needs: Needs, userId: string, ttlMs: number): Promise<Tokens> {
  const sessionId = needs.newSessionId();
  const first = newRefreshToken(needs, ttlMs);
  const data = { sessionId, userId, at: first.issuedAt.toISOString() };
  const events = sessionDecider.decide({ type: 'StartSession', data }, sessionDecider.initialState);

  const append = { streamId: streamOf.session(sessionId), expected: 'none' as const, events };
  const started = await needs.sessions.start(append, sessionId, first);
  // Deleted between the password and the session: what was right a moment ago is wrong now.
  if (!started) throw invalidCredentials();
  return tokensOf(needs, { userId, sessionId }, first.token);
}

const invalidCredentials = (): AppError =>
  new AppError(
    'unauthenticated',
    'invalid_credentials',
    'The e-mail address or the password is wrong.',
  );
