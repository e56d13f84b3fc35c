import type { PostgresEventStore } from '@junction/eventsourcing-postgres';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { Accounts, OwnedStreams } from '../../application/account/ports.js';
import type { AuthEvent } from '../../domain/auth-event.js';
import { insertReceipt } from './deletion-receipts.js';

interface ClosingOptions {
  readonly store: PostgresEventStore<AuthEvent>;
  readonly vault: Vault;
}

/** `Accounts.close` in a transaction of the caller's. */
export async function closeWithin(
  { store, vault }: ClosingOptions,
  tx: pg.PoolClient,
  ...[userId, closing]: Parameters<Accounts['close']>
): ReturnType<Accounts['close']> {
  const owned = await lockOwnedStreams(tx, userId);
  if (!owned) return undefined;
  const { appends, receipt } = closing(owned);
  await store.within(tx).append(appends);
  await vault.shred(userId, tx);
  await insertReceipt(tx, userId, receipt);
  return receipt;
}

/**
 * Locks the user's row and lists what the user owns: a login or a new key waits for that lock by its foreign key,
 * and finds the user gone. So nothing can be added between this list and the end.
 */
async function lockOwnedStreams(
  tx: pg.PoolClient,
  userId: string,
): Promise<OwnedStreams | undefined> {
  const user = await tx.query<{ version: number }>(
    'select version from users where user_id = $1 for update',
    [userId],
  );
  const [row] = user.rows;
  if (!row) return undefined;
  const owned = await ownedStreams(tx, userId);
  const passkeys = await tx.query('select from passkeys where user_id = $1', [userId]);
  return { userVersion: row.version, ...owned, passkeys: passkeys.rowCount ?? 0 };
}

export async function ownedStreams(
  tx: pg.ClientBase,
  userId: string,
): Promise<Pick<OwnedStreams, 'sessions' | 'apiKeys'>> {
  const sessions = await tx.query<OwnedStreams['sessions'][number]>(
    'select session_id as "sessionId", version from sessions where user_id = $1',
    [userId],
  );
  const apiKeys = await tx.query<OwnedStreams['apiKeys'][number]>(
    'select key_id as "keyId", version from api_keys where user_id = $1',
    [userId],
  );
  return { sessions: sessions.rows, apiKeys: apiKeys.rows };
}
