import { AppError } from '@junction/errors';
import type { StreamAppend } from '@junction/eventsourcing';
import { apiKeyDecider } from '../domain/api-key/decider.js';
import type { AuthEvent } from '../domain/auth-event.js';
import { sessionDecider } from '../domain/session/decider.js';
import { userDecider } from '../domain/user/decider.js';
import type { Belongings, Needs, User } from './needs.js';
import { streamOf } from './streams.js';

export interface AccountVerbs {
  /** AppError `email_taken`, `too_many_attempts`. */
  register(wish: {
    readonly email: string;
    readonly password: string;
    readonly ip: string;
  }): Promise<Pick<User, 'id' | 'email'>>;
  /** AppError `unauthenticated` when the user was deleted a moment ago. */
  me(userId: string): Promise<User>;
  deleteMe(userId: string): Promise<void>;
}

export const accountVerbs = ({
  accounts,
  limits,
  passwords,
  newUserId,
  now,
}: Needs): AccountVerbs => ({
  async register({ email, password, ip }) {
    await limits.register(ip);
    const userId = newUserId();
    try {
      if (await accounts.isTaken(email)) throw emailTaken();
      const at = now().toISOString();
      const data = { userId, email, at };
      const events = userDecider.decide({ type: 'RegisterUser', data }, userDecider.initialState);
      const append = { streamId: streamOf.user(userId), expected: 'none' as const, events };
      await accounts.open(append, userId, await passwords.hash(password));
    } catch (error) {
      if (error instanceof AppError && error.code === 'email_taken') await limits.tookTaken(ip);
      throw error;
    }
    return { id: userId, email };
  },

  async me(userId) {
    const user = await accounts.find(userId);
    if (user) return user;
    throw new AppError('unauthenticated', 'unauthenticated', 'This account no longer exists.');
  },

  async deleteMe(userId) {
    const at = now().toISOString();
    await accounts.close(userId, (belongings) => farewell(userId, belongings, at));
  },
});

/** A second user with an address is refused in two places: before the work, and by the database. */
export const emailTaken = (cause?: unknown): AppError =>
  new AppError('conflict', 'email_taken', 'An account with this e-mail address exists. Log in.', {
    cause,
  });

/** Every stream of the user ends in the same moment, so nothing of hers is left open to answer. */
function farewell(
  userId: string,
  { userVersion, sessions, apiKeys }: Belongings,
  at: string,
): readonly StreamAppend<AuthEvent>[] {
  const reason = 'user_deleted' as const;
  return [
    {
      streamId: streamOf.user(userId),
      expected: userVersion,
      events: userDecider.decide(
        { type: 'DeleteUser', data: { at } },
        { status: 'registered', userId },
      ),
    },
    ...sessions.map(({ sessionId, version }) => ({
      streamId: streamOf.session(sessionId),
      expected: version,
      events: sessionDecider.decide(
        { type: 'RevokeSession', data: { reason, at } },
        { status: 'active', sessionId, userId },
      ),
    })),
    ...apiKeys.map(({ keyId, version }) => ({
      streamId: streamOf.apiKey(keyId),
      expected: version,
      events: apiKeyDecider.decide(
        { type: 'RevokeApiKey', data: { userId, reason, at } },
        { status: 'active', keyId, userId },
      ),
    })),
  ];
}
