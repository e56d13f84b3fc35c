import { type DataKeyRow, ShreddedError, type Vault, VaultError } from '@junction/vault';
import type pg from 'pg';
import type { Lease, LeaseEnd } from '../../../application/ports.js';
import { revocableOf } from '../../../application/revoke-unused.js';
import type {
  CredentialTable,
  NewCredential,
  RevocableCredential,
  StoredCredential,
} from '../../../application/unit-of-work.js';
import type { Provider } from '../../../domain/connection/events.js';
import { refreshAheadAt } from '../../../domain/refresh-ahead.js';
import { refreshTokenIndex } from './refresh-token-index.js';

/** Tokens of one version, as they lie in the table. */
export interface CredentialRow {
  readonly connection_id: string;
  readonly key_subject: string;
  readonly credential_version: number;
  readonly access_token: Buffer;
  readonly refresh_token: Buffer | null;
}

const SECOND_MS = 1_000;

type TokenColumn = 'access_token' | 'refresh_token';

export interface CredentialTableOptions {
  readonly vault: Vault;
  /** From 0 to below 1: spreads refreshes of tokens that expire together. */
  readonly chance: () => number;
}

/** The tokens of connections, each sealed for its row, column and version with the key of its consent. */
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

/** Undefined when its key was destroyed since the row was read; VaultError when it does not open. */
export async function openToken(
  vault: Vault,
  { connection_id, key_subject, credential_version, ...row }: CredentialRow,
  column: TokenColumn,
  tx?: pg.ClientBase,
): Promise<string | undefined> {
  const bytes = row[column];
  if (bytes === null) return undefined;
  const at = place(connection_id, credential_version, column);
  try {
    return (await vault.open(key_subject, bytes, at, tx)).toString();
  } catch (error) {
    if (error instanceof ShreddedError) return undefined;
    throw error;
  }
}

/** The access token, with the data key that was read together with it. VaultError when it does not open. */
export function openAccessToken(
  vault: Vault,
  row: Omit<CredentialRow, 'refresh_token'>,
  dataKey: DataKeyRow | undefined,
): string {
  const at = place(row.connection_id, row.credential_version, 'access_token');
  return vault.openWith(dataKey, row.key_subject, row.access_token, at).toString();
}

interface FoundRow {
  readonly credential_version: number;
  readonly lease_owner: string | null;
  /** Each connect makes a data key of its own. */
  readonly key_subject: string;
  readonly account_id: string;
}

async function find(
  tx: pg.ClientBase,
  connectionId: string,
): Promise<StoredCredential | undefined> {
  const { rows } = await tx.query<FoundRow>(
    `select k.credential_version, k.lease_owner, k.key_subject, c.account_id
       from credentials k join connections c using (connection_id)
      where connection_id = $1 for update of k`,
    [connectionId],
  );
  const [row] = rows;
  return (
    row && {
      credentialVersion: row.credential_version,
      leaseOwner: row.lease_owner ?? undefined,
      consent: row.key_subject,
      accountId: row.account_id,
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

/** Without effect when the lease has passed on. */
export async function endLease(
  db: pg.Pool | pg.ClientBase,
  { connectionId, owner }: Lease,
  { backoffMs, failures, answerLost }: LeaseEnd,
): Promise<void> {
  await db.query(
    `update credentials
        set lease_owner = null, lease_until = null, failures = failures + $3,
            answer_lost = answer_lost or $5,
            next_attempt_at = case when $4::float8 > 0
                                   then now() + make_interval(secs => $4) end,
            refresh_at = case when refresh_token is not null and $4::float8 > 0
                              then now() + make_interval(secs => $4) else refresh_at end
      where connection_id = $1 and lease_owner = $2`,
    [connectionId, owner, failures, backoffMs / SECOND_MS, answerLost],
  );
}

/** Both tokens sealed, and what the refresh token is found by. */
async function sealTokens(
  vault: Vault,
  tx: pg.ClientBase,
  keySubject: string,
  { connectionId, version, tokens: { accessToken, refreshToken } }: NewCredential,
): Promise<readonly (Buffer | null)[]> {
  const seal = async (token: string, column: TokenColumn) =>
    vault.seal(keySubject, Buffer.from(token), place(connectionId, version, column), tx);
  const access = await seal(accessToken, 'access_token');
  if (refreshToken === undefined) return [access, null, null, null];
  const { hash, prefixHash } = refreshTokenIndex(refreshToken);
  return [access, await seal(refreshToken, 'refresh_token'), hash, prefixHash];
}

const refreshAt = (
  { issuedAt, tokens: { refreshToken, expiresAt } }: NewCredential,
  chance: number,
): Date | null => (refreshToken === undefined ? null : refreshAheadAt(issuedAt, expiresAt, chance));

async function insert(
  { vault, chance }: CredentialTableOptions,
  tx: pg.ClientBase,
  credential: NewCredential & { readonly provider: Provider },
): Promise<void> {
  const { connectionId, provider, version, issuedAt } = credential;
  const keySubject = `${connectionId}#${version}`;
  const sealed = await sealTokens(vault, tx, keySubject, credential);
  await tx.query(
    `insert into credentials (connection_id, provider, key_subject, credential_version,
                              issued_at, expires_at, refresh_at, access_token, refresh_token,
                              refresh_token_hash, refresh_prefix_hash)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      connectionId,
      provider,
      keySubject,
      version,
      issuedAt,
      credential.tokens.expiresAt,
      refreshAt(credential, chance()),
      ...sealed,
    ],
  );
}

async function replace(
  { vault, chance }: CredentialTableOptions,
  tx: pg.ClientBase,
  credential: NewCredential,
): Promise<void> {
  const { connectionId, version, issuedAt } = credential;
  const row = await findRow(tx, connectionId);
  if (row === undefined) throw new Error(`${connectionId} has no credentials to replace.`);
  const sealed = await sealTokens(vault, tx, row.key_subject, credential);
  await tx.query(
    `update credentials
        set credential_version = $2, issued_at = $3, expires_at = $4, refresh_at = $5,
            access_token = $6, refresh_token = $7, refresh_token_hash = $8,
            refresh_prefix_hash = $9, lease_owner = null, lease_until = null, failures = 0,
            next_attempt_at = null, answer_lost = false
      where connection_id = $1`,
    [
      connectionId,
      version,
      issuedAt,
      credential.tokens.expiresAt,
      refreshAt(credential, chance()),
      ...sealed,
    ],
  );
}

async function replaceRefreshToken(
  vault: Vault,
  tx: pg.ClientBase,
  connectionId: string,
  refreshToken: string,
): Promise<void> {
  const row = await findRow(tx, connectionId);
  if (row === undefined) return;
  const at = place(connectionId, row.credential_version, 'refresh_token');
  const bytes = await vault.seal(row.key_subject, Buffer.from(refreshToken), at, tx);
  const { hash, prefixHash } = refreshTokenIndex(refreshToken);
  await tx.query(
    `update credentials
        set refresh_token = $2, refresh_token_hash = $3, refresh_prefix_hash = $4,
            answer_lost = false
      where connection_id = $1`,
    [connectionId, bytes, hash, prefixHash],
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
    // The row is deleted together with its key: one that is left without it was changed.
    return { kind: 'unreadable', error: new ShreddedError(row.key_subject) };
  } catch (error) {
    if (error instanceof VaultError) return { kind: 'unreadable', error };
    throw error;
  }
}

/** The place a token is sealed for: it opens in this row, column and version, and nowhere else. */
const place = (connectionId: string, version: number, column: TokenColumn): string =>
  `credentials/${connectionId}/${version}/${column}`;
