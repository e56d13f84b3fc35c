import { type DataKeyRow, ShreddedError, type Vault } from '@junction/vault';
import type pg from 'pg';
import type { NewCredential } from '../../application/refreshing/ports.js';
import { refreshTokenIndex } from './refresh-token-index.js';

/** Tokens of one version, as they lie in the table. */
export interface CredentialRow {
  readonly connection_id: string;
  readonly key_subject: string;
  readonly credential_version: number;
  readonly access_token: Buffer;
  readonly refresh_token: Buffer | null;
}

type TokenColumn = 'access_token' | 'refresh_token';

/**
 * Opens a token; undefined when its key was destroyed since the row was read. Throws VaultError when the token does not
 * open.
 */
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

/** Opens a token with the data key that was read beside it. Throws ShreddedError, and VaultError as `openToken`. */
export function openTokenWith(
  vault: Vault,
  dataKey: DataKeyRow | undefined,
  row: Omit<CredentialRow, TokenColumn>,
  column: TokenColumn,
  bytes: Buffer,
): string {
  const at = place(row.connection_id, row.credential_version, column);
  return vault.openWith(dataKey, row.key_subject, bytes, at).toString();
}

/** Columns of the table, named as the parameters of its statements. */
interface SealedRefreshToken {
  readonly refresh_token: Buffer | null;
  readonly refresh_token_hash: Buffer | null;
  readonly refresh_prefix_hash: Buffer | null;
}

/** Returns the columns of a version: both tokens sealed, the hashes that the refresh token is found by, and dates. */
export async function versionColumns(
  vault: Vault,
  tx: pg.ClientBase | undefined,
  keySubject: string,
  { connectionId, version, tokens, issuedAt, refreshAt }: NewCredential,
) {
  const { accessToken, refreshToken, expiresAt } = tokens;
  const at = place(connectionId, version, 'access_token');
  const sealedFor = { keySubject, connectionId, version };
  // At once, so that both share the read of the key.
  const [access_token, sealedRefreshToken] = await Promise.all([
    vault.seal(keySubject, Buffer.from(accessToken), at, tx),
    refreshToken === undefined
      ? NO_REFRESH_TOKEN
      : sealRefreshToken(vault, tx, sealedFor, refreshToken),
  ]);
  return {
    connection_id: connectionId,
    key_subject: keySubject,
    credential_version: version,
    issued_at: issuedAt,
    expires_at: expiresAt,
    refresh_at: refreshAt,
    access_token,
    ...sealedRefreshToken,
  };
}

const NO_REFRESH_TOKEN = {
  refresh_token: null,
  refresh_token_hash: null,
  refresh_prefix_hash: null,
} as const;

interface SealedFor {
  readonly keySubject: string;
  readonly connectionId: string;
  readonly version: number;
}

export async function sealRefreshToken(
  vault: Vault,
  tx: pg.ClientBase | undefined,
  { keySubject, connectionId, version }: SealedFor,
  refreshToken: string,
): Promise<SealedRefreshToken> {
  const at = place(connectionId, version, 'refresh_token');
  const { hash, prefixHash } = refreshTokenIndex(refreshToken);
  return {
    refresh_token: await vault.seal(keySubject, Buffer.from(refreshToken), at, tx),
    refresh_token_hash: hash,
    refresh_prefix_hash: prefixHash,
  };
}

/** Returns the context a token is sealed for: the token opens in this row, column and version, and nowhere else. */
const place = (connectionId: string, version: number, column: TokenColumn): string =>
  `credentials/${connectionId}/${version}/${column}`;
