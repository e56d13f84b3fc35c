import { statement } from '@junction/eventsourcing/postgres';
import { ShreddedError, type Vault, VaultError } from '@junction/vault';
import type pg from 'pg';
import type {
  Lease,
  LeaseEnd,
  NewCredential,
  Refreshed,
  RevocableCredential,
} from '../../../application/refreshing/ports.js';
import { openRevocable } from '../../../application/revoke-unused.js';
import type { ClientName } from '../../../domain/connection/events.js';
import {
  type CredentialRow,
  openToken,
  sealRefreshToken,
  versionColumns,
} from '../sealed-tokens.js';
import { endLeases } from './refresh-leases.js';
import { saveRefreshed } from './refreshes.js';

/** Stores the tokens of connections, each sealed for its row, column and version with the key of its consent. */
export const credentialTable = (tx: pg.ClientBase, vault: Vault) => ({
  /** Finds the credentials of a connection; undefined when it has none (any more). */
  async find(connectionId: string) {
    const row = await findRow(tx, connectionId);
    return (
      row && {
        credentialVersion: row.credential_version,
        // Each connect makes a data key of its own.
        consent: row.key_subject,
      }
    );
  },

  /** Inserts credentials under a data key of their own, for a connection that has none. */
  insert: async (credential: NewCredential & { readonly client: ClientName }) =>
    insert(vault, tx, credential),

  /** Stores the next version of the same credentials, under the same data key, as a refresh. Ends the lease. */
  async replace(refreshed: Refreshed) {
    if (await saveRefreshed({ vault, db: tx, tx }, refreshed)) return;
    throw new Error(`${refreshed.connectionId} has no credentials to replace.`);
  },

  /** Stores a refresh token alone, for the same version. */
  replaceRefreshToken: async (connectionId: string, refreshToken: string) =>
    replaceRefreshToken(vault, tx, connectionId, refreshToken),

  /** Returns the token whose revocation ends the grant; undefined when there are no credentials. */
  revocable: async (connectionId: string) => revocable(vault, tx, connectionId),

  /** Deletes the credentials of these connections with their data keys. */
  async delete(connectionIds: readonly string[]) {
    if (connectionIds.length === 0) return;
    const { rows } = await deleteCredentials(tx, { connection_ids: connectionIds });
    const subjects = rows.map((row) => row.key_subject);
    if (subjects.length > 0) await vault.shred(subjects, tx);
  },

  /** Returns the owners of those leases that have not passed on, and keeps them from it for this transaction. */
  async owners(leases: readonly Lease[]) {
    const owners = leases.map(({ owner }) => owner);
    const connection_ids = leases.map(({ connectionId }) => connectionId);
    const { rows } = await findOwners(tx, { connection_ids, owners });
    return new Set(rows.map((row) => row.lease_owner));
  },

  /** Ends leases. Without effect on a lease that has passed on. */
  endLeases: async (ends: readonly LeaseEnd[]) => endLeases(tx, ends),
});

const deleteCredentials = statement<Pick<CredentialRow, 'key_subject'>>(
  'delete from credentials where connection_id = any (:connection_ids) returning key_subject',
);

const findOwners = statement<{ readonly lease_owner: string }>(`
select lease_owner from credentials
 where connection_id = any (:connection_ids) and lease_owner = any (:owners::uuid[]) for update`);

const findCredential = statement<CredentialRow>(`
select connection_id, key_subject, credential_version, access_token, refresh_token
  from credentials where connection_id = :connection_id for update`);

const findRow = async (tx: pg.ClientBase, connectionId: string) =>
  (await findCredential(tx, { connection_id: connectionId })).rows[0];

const insertCredential = statement(`
insert into credentials (connection_id, client, key_subject, credential_version, issued_at, expires_at,
                         refresh_at, access_token, refresh_token, refresh_token_hash, refresh_prefix_hash)
values (:connection_id, :client, :key_subject, :credential_version, :issued_at, :expires_at,
        :refresh_at, :access_token, :refresh_token, :refresh_token_hash, :refresh_prefix_hash)`);

async function insert(
  vault: Vault,
  tx: pg.ClientBase,
  credential: NewCredential & { readonly client: ClientName },
): Promise<void> {
  const { connectionId, client, version } = credential;
  const keySubject = `${connectionId}#${version}`;
  await insertCredential(tx, {
    client,
    ...(await versionColumns(vault, tx, keySubject, credential)),
  });
}

const replaceToken = statement(`
update credentials
   set refresh_token = :refresh_token, refresh_token_hash = :refresh_token_hash,
       refresh_prefix_hash = :refresh_prefix_hash, answer_lost = false
 where connection_id = :connection_id`);

async function replaceRefreshToken(
  vault: Vault,
  tx: pg.ClientBase,
  connectionId: string,
  refreshToken: string,
): Promise<void> {
  const row = await findRow(tx, connectionId);
  if (row === undefined) return;
  const { key_subject: keySubject, credential_version: version } = row;
  const sealedFor = { keySubject, connectionId, version };
  await replaceToken(tx, {
    connection_id: connectionId,
    ...(await sealRefreshToken(vault, tx, sealedFor, refreshToken)),
  });
}

async function revocable(
  vault: Vault,
  tx: pg.ClientBase,
  connectionId: string,
): Promise<RevocableCredential | undefined> {
  const row = await findRow(tx, connectionId);
  if (row === undefined) return undefined;
  try {
    const token = await openRevocable(async (which) => openToken(vault, row, which, tx));
    if (token?.hint === 'refresh_token') {
      const accessToken = await readableAccessToken(vault, tx, row);
      return { kind: 'readable', token: { ...token, accessToken } };
    }
    if (token) return { kind: 'readable', token };
    // The row is deleted together with its key: a row without its key was changed.
    return { kind: 'unreadable', error: new ShreddedError(row.key_subject) };
  } catch (error) {
    if (error instanceof VaultError) return { kind: 'unreadable', error };
    throw error;
  }
}

/** Returns the access token; undefined when it does not open, because the refresh token is revoked all the same. */
async function readableAccessToken(
  vault: Vault,
  tx: pg.ClientBase,
  row: CredentialRow,
): Promise<string | undefined> {
  return openToken(vault, row, 'access_token', tx).catch((error: unknown) => {
    if (error instanceof VaultError) return undefined;
    throw error;
  });
}
