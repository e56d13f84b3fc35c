import { type DataKeyRow, ShreddedError, type Vault, VaultError } from '@junction/vault';
import type pg from 'pg';
import type { Log, RevocableToken, Tokens } from '../../application/needs.js';
import { revocableOf } from '../../application/revoke.js';
import { refreshAheadAt } from '../../domain/refresh-ahead.js';
import { refreshTokenIndex } from './refresh-token-index.js';
import type { RevocationQueue } from './revocation-queue.js';

/** Tokens of one version, as they lie in the table. */
export interface CredentialRow {
  readonly connection_id: string;
  readonly key_subject: string;
  readonly credential_version: number;
  readonly access_token: Buffer;
  readonly refresh_token: Buffer | null;
}

export interface NewCredential {
  readonly connectionId: string;
  readonly version: number;
  readonly tokens: Pick<Tokens, 'accessToken' | 'refreshToken' | 'expiresAt'>;
  readonly issuedAt: Date;
}

/** The tokens of connections, sealed. What changes them runs in the caller's transaction. */
export interface Credentials {
  /** For a connection that has none; under a data key of its own. */
  insert(tx: pg.ClientBase, credential: NewCredential): Promise<void>;
  /** The next version of the same credential, under the same data key. */
  replace(tx: pg.ClientBase, credential: NewCredential): Promise<void>;
  /** A refresh token alone, for the same version. */
  replaceRefreshToken(tx: pg.ClientBase, connectionId: string, refreshToken: string): Promise<void>;
  /**
   * Takes them away, destroys their key and queues them for revocation; they are of this account. False:
   * nothing was queued. There was nothing, or what lies there does not open, or its key is gone before it.
   */
  revoke(tx: pg.ClientBase, connectionId: string, accountId: string): Promise<boolean>;
  /** The same without revocation: at the provider nothing is left to revoke, or nothing that may be. */
  drop(tx: pg.ClientBase, connectionId: string): Promise<void>;
  /** The user has come back with this account: its grant, still to be revoked, is in use again. */
  forgive(tx: pg.ClientBase, connectionId: string, accountId: string): Promise<void>;
  /** Undefined when its key was destroyed since the row was read; VaultError when it does not open. */
  open(row: CredentialRow, column: TokenColumn, tx?: pg.ClientBase): Promise<string | undefined>;
  /** The access token, with the data key that was read together with it. */
  openAccessToken(
    row: Omit<CredentialRow, 'refresh_token'>,
    dataKey: DataKeyRow | undefined,
  ): string;
}

type TokenColumn = 'access_token' | 'refresh_token';

export interface CredentialsOptions {
  readonly vault: Vault;
  readonly queue: RevocationQueue;
  readonly chance: () => number;
  readonly log: Pick<Log, 'error'>;
}

export const sealedCredentials = ({
  vault,
  queue,
  chance,
  log,
}: CredentialsOptions): Credentials => ({
  ...storedCredentials(vault, chance),

  async revoke(tx, connectionId, accountId) {
    const row = await findCredential(tx, connectionId);
    if (row === undefined) return false;
    // The row goes together with its key: one that stands without it was changed.
    let why: Error = new ShreddedError(row.key_subject);
    const token = await revocableIn(vault, row, tx).catch((error: unknown) => {
      // An end may not wait for such a row: nobody could ever end that connection.
      if (!(error instanceof VaultError)) throw error;
      why = error;
    });
    if (token !== undefined) await queue.enqueue(tx, { connectionId, accountId }, token);
    else {
      const fields = { err: why, connection_id: connectionId };
      log.error(fields, 'stored tokens do not open, and go without being revoked');
    }
    await dropped(vault, tx, row);
    return token !== undefined;
  },

  forgive: (tx, connectionId, accountId) => queue.forgive(tx, connectionId, accountId),
});

const storedCredentials = (
  vault: Vault,
  chance: () => number,
): Omit<Credentials, 'revoke' | 'forgive'> => ({
  async insert(tx, credential) {
    const keySubject = `${credential.connectionId}#${credential.version}`;
    const values = await valuesOf(vault, tx, keySubject, credential, chance());
    await tx.query(
      `insert into credentials (connection_id, provider, credential_version, access_token,
                                refresh_token, refresh_token_hash, refresh_prefix_hash,
                                issued_at, expires_at, refresh_at, key_subject)
       select connection_id, provider, $2, $3, $4, $5, $6, $7, $8, $9, $10
         from connections where connection_id = $1`,
      [...values, keySubject],
    );
  },

  async replace(tx, credential) {
    const { connectionId } = credential;
    const row = await findCredential(tx, connectionId);
    if (row === undefined) throw new Error(`${connectionId} is live and has no credentials.`);
    await tx.query(
      `update credentials k
          set credential_version = $2, access_token = $3, refresh_token = $4,
              refresh_token_hash = $5, refresh_prefix_hash = $6, issued_at = $7,
              expires_at = $8, refresh_at = $9, lease_owner = null, lease_until = null,
              failures = 0, next_attempt_at = null, answer_lost = false, provider = c.provider
         from connections c
        where k.connection_id = $1 and c.connection_id = $1`,
      await valuesOf(vault, tx, row.key_subject, credential, chance()),
    );
  },

  replaceRefreshToken: async (tx, connectionId, refreshToken) =>
    replaceRefreshToken(vault, tx, connectionId, refreshToken),

  async drop(tx, connectionId) {
    const row = await findCredential(tx, connectionId);
    if (row !== undefined) await dropped(vault, tx, row);
  },

  open: async (row, column, tx) => opened(vault, row, column, tx),

  openAccessToken({ connection_id, key_subject, credential_version, access_token }, dataKey) {
    const at = place(connection_id, credential_version, 'access_token');
    return vault.openWith(dataKey, key_subject, access_token, at).toString();
  },
});

async function replaceRefreshToken(
  vault: Vault,
  tx: pg.ClientBase,
  connectionId: string,
  refreshToken: string,
): Promise<void> {
  const row = await findCredential(tx, connectionId);
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

/** Connection, version, both tokens sealed, the index, issued, expires, and when it is to be refreshed. */
async function valuesOf(
  vault: Vault,
  tx: pg.ClientBase,
  keySubject: string,
  { connectionId, version, issuedAt, tokens }: NewCredential,
  chance: number,
): Promise<unknown[]> {
  const { accessToken, refreshToken, expiresAt } = tokens;
  const seal = async (token: string, column: TokenColumn) =>
    vault.seal(keySubject, Buffer.from(token), place(connectionId, version, column), tx);
  const access = await seal(accessToken, 'access_token');
  const refresh = refreshToken === undefined ? null : await seal(refreshToken, 'refresh_token');
  const index = refreshToken === undefined ? undefined : refreshTokenIndex(refreshToken);
  const refreshAt = refresh && refreshAheadAt(issuedAt, expiresAt, chance);
  const sealed = [access, refresh, index?.hash, index?.prefixHash];
  return [connectionId, version, ...sealed, issuedAt, expiresAt, refreshAt];
}

/** Undefined when their key was destroyed since. Throws VaultError when what would be revoked does not open. */
async function revocableIn(
  vault: Vault,
  row: CredentialRow,
  tx: pg.ClientBase,
): Promise<RevocableToken | undefined> {
  const refreshToken = await opened(vault, row, 'refresh_token', tx);
  if (refreshToken !== undefined) return revocableOf({ refreshToken });
  return revocableOf({ accessToken: await opened(vault, row, 'access_token', tx) });
}

async function dropped(vault: Vault, tx: pg.ClientBase, row: CredentialRow): Promise<void> {
  await tx.query('delete from credentials where connection_id = $1', [row.connection_id]);
  await vault.shred(row.key_subject, tx);
}

async function opened(
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

/** The place a token is sealed for: it opens in this row, column and version, and nowhere else. */
const place = (connectionId: string, version: number, column: TokenColumn): string =>
  `credentials/${connectionId}/${version}/${column}`;

async function findCredential(
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
