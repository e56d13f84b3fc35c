import { namedParameters } from '@junction/eventsourcing-postgres';
import { ShreddedError, type Vault, VaultError } from '@junction/vault';
import type pg from 'pg';
import { revocableOf } from '../../../application/revoke-unused.js';
import type {
  CredentialTable,
  NewCredential,
  RevocableCredential,
  StoredCredential,
} from '../../../application/unit-of-work.js';
import type { ClientName } from '../../../domain/connection/events.js';
import { refreshAheadAt } from '../../../domain/refresh-ahead.js';
import { type CredentialRow, openToken, sealRefreshToken, sealTokens } from '../sealed-tokens.js';
import { endLease } from './refresh-leases.js';

export interface CredentialTableOptions {
  readonly vault: Vault;
  /** Random number from 0 to below 1, which spreads refreshes of tokens that expire together. */
  readonly chance: () => number;
}

/** Stores the tokens of connections, each sealed for its row, column and version with the key of its consent. */
export const credentialTable = (
  tx: pg.ClientBase,
  options: CredentialTableOptions,
): CredentialTable => ({
  find: async (connectionId) => find(tx, connectionId),

  insert: async (credential) => insert(options, tx, credential),

  replace: async (credential) => replace(options, tx, credential),

  replaceRefreshToken: async (connectionId, refreshToken) =>
    replaceRefreshToken(options.vault, tx, connectionId, refreshToken),

  revocable: async (connectionId) => revocable(options.vault, tx, connectionId),

  async delete(connectionId) {
    const row = await findRow(tx, connectionId);
    if (row === undefined) return;
    await tx.query('delete from credentials where connection_id = $1', [connectionId]);
    await options.vault.shred(row.key_subject, tx);
  },

  endLease: async (lease, end) => endLease(tx, lease, end),
});

interface FoundRow {
  readonly credential_version: number;
  readonly lease_owner: string | null;
  /** Each connect makes a data key of its own. */
  readonly key_subject: string;
}

async function find(
  tx: pg.ClientBase,
  connectionId: string,
): Promise<StoredCredential | undefined> {
  const { rows } = await tx.query<FoundRow>(
    `select credential_version, lease_owner, key_subject
       from credentials where connection_id = $1 for update`,
    [connectionId],
  );
  const [row] = rows;
  return (
    row && {
      credentialVersion: row.credential_version,
      leaseOwner: row.lease_owner ?? undefined,
      consent: row.key_subject,
    }
  );
}

async function findRow(
  tx: pg.ClientBase,
  connectionId: string,
): Promise<CredentialRow | undefined> {
  const { rows } = await tx.query<CredentialRow>(
    `select connection_id, key_subject, credential_version, access_token, refresh_token
       from credentials where connection_id = $1 for update`,
    [connectionId],
  );
  return rows[0];
}

/**
 * Returns when a credential is due to be refreshed. Without a refresh token the connection is due when its access token
 * ends, and ends with it.
 */
const refreshAt = (
  { issuedAt, tokens: { refreshToken, expiresAt } }: NewCredential,
  chance: number,
): Date => (refreshToken === undefined ? expiresAt : refreshAheadAt(issuedAt, expiresAt, chance));

/** Returns the columns of a new version other than its sealed tokens. */
const datesOf = (credential: NewCredential, chance: number) => ({
  credential_version: credential.version,
  issued_at: credential.issuedAt,
  expires_at: credential.tokens.expiresAt,
  refresh_at: refreshAt(credential, chance),
});

const insertCredential = namedParameters(`
insert into credentials (connection_id, client, key_subject, credential_version, issued_at, expires_at,
                         refresh_at, access_token, refresh_token, refresh_token_hash, refresh_prefix_hash)
values (:connection_id, :client, :key_subject, :credential_version, :issued_at, :expires_at,
        :refresh_at, :access_token, :refresh_token, :refresh_token_hash, :refresh_prefix_hash)`);

async function insert(
  { vault, chance }: CredentialTableOptions,
  tx: pg.ClientBase,
  credential: NewCredential & { readonly client: ClientName },
): Promise<void> {
  const { connectionId, client, version } = credential;
  const keySubject = `${connectionId}#${version}`;
  await tx.query(
    insertCredential({
      connection_id: connectionId,
      client,
      key_subject: keySubject,
      ...datesOf(credential, chance()),
      ...(await sealTokens(vault, tx, keySubject, credential)),
    }),
  );
}

const replaceCredential = namedParameters(`
update credentials
   set credential_version = :credential_version, issued_at = :issued_at, expires_at = :expires_at,
       refresh_at = :refresh_at, access_token = :access_token, refresh_token = :refresh_token,
       refresh_token_hash = :refresh_token_hash, refresh_prefix_hash = :refresh_prefix_hash,
       lease_owner = null, lease_until = null, failures = 0, next_attempt_at = null, answer_lost = false,
       unclear_since = null
 where connection_id = :connection_id`);

async function replace(
  { vault, chance }: CredentialTableOptions,
  tx: pg.ClientBase,
  credential: NewCredential,
): Promise<void> {
  const { connectionId } = credential;
  const row = await findRow(tx, connectionId);
  if (row === undefined) throw new Error(`${connectionId} has no credentials to replace.`);
  await tx.query(
    replaceCredential({
      connection_id: connectionId,
      ...datesOf(credential, chance()),
      ...(await sealTokens(vault, tx, row.key_subject, credential)),
    }),
  );
}

const replaceToken = namedParameters(`
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
  await tx.query(
    replaceToken({
      connection_id: connectionId,
      ...(await sealRefreshToken(vault, tx, sealedFor, refreshToken)),
    }),
  );
}

async function revocable(
  vault: Vault,
  tx: pg.ClientBase,
  connectionId: string,
): Promise<RevocableCredential | undefined> {
  const row = await findRow(tx, connectionId);
  if (row === undefined) return undefined;
  try {
    const refreshToken = await openToken(vault, row, 'refresh_token', tx);
    const token =
      revocableOf({ refreshToken }) ??
      revocableOf({ accessToken: await openToken(vault, row, 'access_token', tx) });
    if (token) return { kind: 'readable', token };
    // The row is deleted together with its key: a row without its key was changed.
    return { kind: 'unreadable', error: new ShreddedError(row.key_subject) };
  } catch (error) {
    if (error instanceof VaultError) return { kind: 'unreadable', error };
    throw error;
  }
}
