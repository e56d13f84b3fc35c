import { batchHandler } from '@junction/eventsourcing';
import { deleteDeadLetters } from '@junction/messaging';
import type { DeletedUser } from '@junction/service-kit';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import { connectionDecider } from '../../domain/connection/decider.js';
import { byItself, type ConnectionStore, connectionStream } from './connection-store.js';
import type { Credentials } from './credentials.js';
import { takeTurn } from './user-transaction.js';

export interface ForgetUsersOptions {
  readonly store: ConnectionStore;
  readonly credentials: Credentials;
  readonly vault: Vault;
}

/**
 * Takes away what is held of users, in the caller's transaction: connections and their tokens, what
 * was begun, dead letters about them, and the keys that the events' personal fields are sealed with. A
 * connect that is under way finds the key destroyed, and gives its tokens back.
 */
export const forgetUsers =
  ({ store, credentials, vault }: ForgetUsersOptions) =>
  async (tx: pg.PoolClient, users: readonly DeletedUser[]): Promise<void> => {
    const userIds = users.map(({ userId }) => userId);
    for (const userId of userIds.toSorted()) await takeTurn(tx, userId);
    const { rows } = await tx.query<{ connection_id: string; account_id: string; at: Date }>(
      `select connection_id, account_id, at from connections
         join unnest($1::uuid[], $2::timestamptz[]) as deleted (user_id, at) using (user_id)
        order by connection_id`,
      [userIds, users.map(({ at }) => at)],
    );
    // Before the events: the rows that name the provider go with them.
    for (const row of rows) await credentials.revoke(tx, row.connection_id, row.account_id);

    const snapshots = store.snapshots.within(tx);
    const handle = batchHandler(store.within(tx), connectionDecider, { snapshots });
    const forget = rows.map(({ connection_id, at }) => ({
      streamId: connectionStream(connection_id),
      command: { type: 'Forget', data: { at: at.toISOString() } } as const,
      metadata: { actor: byItself },
    }));
    // Two for each user of a batch of 200 at most.
    await handle(forget);

    await tx.query('delete from pending_authorizations where user_id = any ($1)', [userIds]);
    for (const userId of userIds) {
      await deleteDeadLetters(tx, userId);
      await vault.shred(userId, tx);
    }
  };
