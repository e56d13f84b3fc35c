import type { Ports } from '../ports.js';
import { endApiKey } from '../revoke-api-key.js';
import { revokeSession } from '../revoke-session.js';

/** How many were ended by now. */
export interface SignedOut {
  readonly users: number;
  readonly sessions: number;
  readonly apiKeys: number;
}

/**
 * Ends the sessions and portals of these users one after another for an operator, and with `withApiKeys` their API keys
 * too: access tokens of portals go on for ten minutes at most. Tells after each user how far it is, and stops when
 * `signal` aborts. Again it does nothing.
 */
export const signOut = (ports: Ports) =>
  async function* (
    userIds: AsyncIterable<string>,
    { withApiKeys, signal }: { readonly withApiKeys: boolean; readonly signal: AbortSignal },
  ): AsyncGenerator<SignedOut> {
    const ended = { users: 0, sessions: 0, apiKeys: 0 };
    for await (const userId of userIds) {
      signal.throwIfAborted();
      ended.users += 1;
      ended.sessions += await endSessionsOf(ports, userId);
      await endPortalsOf(ports, userId);
      if (withApiKeys) ended.apiKeys += await endApiKeysOf(ports, userId);
      yield { ...ended };
    }
  };

async function endSessionsOf(ports: Ports, userId: string): Promise<number> {
  const sessions = await ports.unitOfWork.inTransaction((tx) => tx.sessions.ofUser(userId));
  for (const { sessionId } of sessions) await revokeSession(ports, sessionId, 'operator');
  return sessions.length;
}

async function endPortalsOf({ unitOfWork }: Ports, userId: string): Promise<void> {
  await unitOfWork.inTransaction(async (tx) => {
    // A portal that is carried on at this moment locks the account too.
    if (await tx.accounts.lock(userId)) await tx.portals.end(userId);
  });
}

async function endApiKeysOf(ports: Ports, userId: string): Promise<number> {
  const keys = await ports.unitOfWork.inTransaction((tx) => tx.apiKeys.ofUser(userId));
  for (const { keyId } of keys) await endApiKey(ports, userId, keyId, 'operator');
  return keys.length;
}
