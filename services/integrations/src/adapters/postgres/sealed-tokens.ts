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

/** Opens the access token with the data key that was read together with it. VaultError when the token does not open. */
export function openAccessToken(
  vault: Vault,
  row: Omit<CredentialRow, 'refresh_token'>,
  dataKey: DataKeyRow | undefined,
): string {
  const at = place(row.connection_id, row.credential_version, 'access_token');
  return vault.openWith(dataKey, row.key_subject, row.access_token, at).toString();
}

/** Columns of the table, named as the parameters of its statements. */
export interface SealedTokens {
  readonly access_token: Buffer;
  readonly refresh_token: Buffer | null;
  readonly refresh_token_hash: Buffer | null;
  readonly refresh_prefix_hash: Buffer | null;
}

/** Seals both tokens, and computes the hashes that the refresh token is found by. */
export async function sealTokens(
  vault: Vault,
  tx: pg.ClientBase,
  keySubject: string,
  { connectionId, version, tokens: { accessToken, refreshToken } }: NewCredential,
): Promise<SealedTokens> {
  const at = (column: TokenColumn) => place(connectionId, version, column);
  const access = Buffer.from(accessToken);
  return {
    access_token: await vault.seal(keySubject, access, at('access_token'), tx),
    ...(refreshToken === undefined
      ? NO_REFRESH_TOKEN
      : await sealRefreshToken(vault, tx, { keySubject, connectionId, version }, refreshToken)),
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
  tx: pg.ClientBase,
  { keySubject, connectionId, version }: SealedFor,
  refreshToken: string,
): Promise<Omit<SealedTokens, 'access_token'>> {
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
