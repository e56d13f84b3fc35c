import { ShreddedError, type Vault } from '@junction/vault';
import type pg from 'pg';
import type { Tokens } from '../../application/needs.js';
import { revocableOf } from '../../application/revoke.js';
import type { RevocationQueue } from './revocation-queue.js';

/** Tokens of one version, as they lie in the table. */
export interface CredentialRow {
  readonly connection_id: string;
  readonly key_subject: string;
  readonly credential_version: number;
  readonly access_token: Buffer;
  readonly refresh_token: Buffer | null;
}

/** The place a token is sealed for: it opens in this row, column and version, and nowhere else. */
const place = (connectionId: string, version: number, column: string): string =>
  `credentials/${connectionId}/${version}/${column}`;

export interface NewCredential {
  readonly connectionId: string;
  readonly version: number;
  readonly tokens: Pick<Tokens, 'accessToken' | 'refreshToken' | 'expiresAt'>;
  readonly issuedAt: Date;
}

/** The tokens of connections, sealed. Every call runs in the caller's transaction. */
export interface Credentials {
  /** For a connection that has none; under a data key of its own. */
  insert(tx: pg.ClientBase, credential: NewCredential): Promise<void>;
  /** The next version of the same credential. */
  replace(tx: pg.ClientBase, keySubject: string, credential: NewCredential): Promise<void>;
  /** A refresh token alone, for the same version. */
  replaceRefreshToken(tx: pg.ClientBase, connectionId: string, refreshToken: string): Promise<void>;
  /**
   * Takes them away and destroys their key. Queued for revocation unless `isOver`: at the provider
   * there is nothing left to revoke, or nothing that may be.
   */
  remove(tx: pg.ClientBase, connectionId: string, isOver: boolean): Promise<void>;
  openAccessToken(row: CredentialRow, tx?: pg.ClientBase): Promise<string | undefined>;
  openRefreshToken(row: CredentialRow, tx?: pg.ClientBase): Promise<string | undefined>;
}

export function sealedCredentials(vault: Vault, queue: RevocationQueue): Credentials {
  const seal = async (tx: pg.ClientBase, keySubject: string, token: string, at: string) =>
    vault.seal(keySubject, Buffer.from(token), at, tx);

  const sealed = async (tx: pg.ClientBase, keySubject: string, one: NewCredential) => {
    const { connectionId, version, tokens } = one;
    const at = (column: string) => place(connectionId, version, column);
    const { accessToken, refreshToken } = tokens;
    return {
      access: await seal(tx, keySubject, accessToken, at('access_token')),
      refresh:
        refreshToken === undefined
          ? null
          : await seal(tx, keySubject, refreshToken, at('refresh_token')),
    };
  };

  const open = async (
    { connection_id, key_subject, credential_version, ...row }: CredentialRow,
    column: 'access_token' | 'refresh_token',
    tx?: pg.ClientBase,
  ): Promise<string | undefined> => {
    const bytes = row[column];
    if (bytes === null) return undefined;
    try {
      const at = place(connection_id, credential_version, column);
      return (await vault.open(key_subject, bytes, at, tx)).toString();
    } catch (error) {
      if (error instanceof ShreddedError) return undefined;
      throw error;
    }
  };

  const credentials: Credentials = {
    async insert(tx, one) {
      const { connectionId, version, tokens, issuedAt } = one;
      const keySubject = `${connectionId}#${version}`;
      const { access, refresh } = await sealed(tx, keySubject, one);
      await tx.query(
        `insert into credentials (connection_id, key_subject, credential_version, access_token,
                                  refresh_token, issued_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [connectionId, keySubject, version, access, refresh, issuedAt, tokens.expiresAt],
      );
    },

    async replace(tx, keySubject, one) {
      const { connectionId, version, tokens, issuedAt } = one;
      const { access, refresh } = await sealed(tx, keySubject, one);
      await tx.query(
        `update credentials
            set credential_version = $2, access_token = $3, refresh_token = $4, issued_at = $5,
                expires_at = $6, lease_owner = null, lease_until = null, failures = 0,
                next_attempt_at = null
          where connection_id = $1`,
        [connectionId, version, access, refresh, issuedAt, tokens.expiresAt],
      );
    },

    async replaceRefreshToken(tx, connectionId, refreshToken) {
      const row = await findCredential(tx, connectionId);
      if (row === undefined) return;
      const at = place(connectionId, row.credential_version, 'refresh_token');
      const bytes = await seal(tx, row.key_subject, refreshToken, at);
      await tx.query('update credentials set refresh_token = $2 where connection_id = $1', [
        connectionId,
        bytes,
      ]);
    },

    async remove(tx, connectionId, isOver) {
      const row = await findCredential(tx, connectionId);
      if (row === undefined) return;
      if (!isOver) {
        const refreshToken = await open(row, 'refresh_token', tx);
        const accessToken = await open(row, 'access_token', tx);
        const token = revocableOf({ refreshToken, accessToken });
        if (token) await queue.enqueue(tx, connectionId, token);
      }
      await tx.query('delete from credentials where connection_id = $1', [connectionId]);
      await vault.shred(row.key_subject, tx);
    },

    openAccessToken: (row, tx) => open(row, 'access_token', tx),
    openRefreshToken: (row, tx) => open(row, 'refresh_token', tx),
  };
  return credentials;
}

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
