import { eraseDeadLetters } from '@junction/messaging';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import { act, byItself, type ConnectionStore } from './connection-store.js';
import type { Credentials } from './credentials.js';
import { takeTurn } from './user-transaction.js';

export interface ForgetUserOptions {
  readonly store: ConnectionStore;
  readonly credentials: Credentials;
  readonly vault: Vault;
}

/**
 * Takes away what is held of a user, in the caller's transaction: connections and their tokens, what
 * was begun, dead letters about them, and the key that the events' personal fields are sealed with. A connect that is under
 * way finds the key destroyed, and gives its tokens back.
 */
export const forgetUser =
  ({ store, credentials, vault }: ForgetUserOptions) =>
  async (tx: pg.PoolClient, userId: string, at: Date): Promise<void> => {
    await takeTurn(tx, userId);
    const { rows } = await tx.query<{ connection_id: string; account_id: string }>(
      'select connection_id, account_id from connections where user_id = $1 order by connection_id',
      [userId],
    );
    for (const { connection_id: connectionId, account_id: accountId } of rows) {
      // Before the event: the row that names the provider goes with it.
      await credentials.revoke(tx, connectionId, accountId);
      const command = { type: 'Forget', data: { at: at.toISOString() } } as const;
      await act(store, tx, { connectionId, command, actor: byItself });
    }
    await tx.query('delete from pending_authorizations where user_id = $1', [userId]);
    await eraseDeadLetters(tx, userId);
    await vault.shred(userId, tx);
  };
