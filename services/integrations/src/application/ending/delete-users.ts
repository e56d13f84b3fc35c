import { bySystem } from '../handle-command.js';
import type { Log } from '../ports.js';
import { revokeTokens } from '../revoke-tokens.js';
import type { Transaction } from '../unit-of-work.js';

export interface DeletedUser {
  readonly userId: string;
  readonly at: Date;
  /** False: the account is closed and can come back. */
  readonly isFinal: boolean;
}

/**
 * Ends what users have, in the caller's transaction: connections with their tokens, and pending authorizations, so that
 * a connect that is under way is refused and its tokens are revoked. Of users who are deleted for good it deletes the
 * dead letters too, and the keys that seal the personal fields of events. Returns how many connections each user had.
 */
export const deleteUsers =
  (log: Log) =>
  async (tx: Transaction, users: readonly DeletedUser[]): Promise<ReadonlyMap<string, number>> => {
    const userIds = users.map(({ userId }) => userId).toSorted();
    for (const userId of userIds) await tx.takeTurn(userId);
    const deleted = new Map<string, number>();
    const deletedAt = new Map(users.map(({ userId, at }) => [userId, at.toISOString()]));
    for (const connection of await tx.connections.ofUsers(userIds)) {
      const { connectionId, userId } = connection;
      const at = deletedAt.get(userId);
      if (at === undefined) continue;
      // Before the event: the row that names the provider is deleted with it.
      await revokeTokens(tx, log, connectionId);
      const command = { type: 'Delete', data: { at } } as const;
      await tx.handle(connectionId, command, { actor: bySystem });
      deleted.set(userId, (deleted.get(userId) ?? 0) + 1);
    }
    for (const { userId, isFinal } of users) {
      await (isFinal ? tx.users.delete(userId) : tx.users.deleteAuthorizations(userId));
    }
    return deleted;
  };
