import { inTransaction } from '@junction/eventsourcing-postgres';
import { type KeyRing, openWithRing, type RingColumn, sealWithRing } from '@junction/vault';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
} from 'jose';
import type pg from 'pg';
import { ALGORITHM, type SigningKey } from '../jwt/signing-keys.js';

// Any number will do, as long as every replica asks for the same one.
const MAKING_FIRST_KEY = 6_021_023_001;

interface KeyRow {
  readonly kid: string;
  readonly public_jwk: JWK;
  readonly private_jwk_sealed: Buffer;
  readonly signs_from: Date;
  readonly published_until: Date | null;
}

/** Every key that is, was lately or will soon be in use, opened. */
export async function loadSigningKeys(
  pool: pg.Pool,
  ring: KeyRing,
): Promise<readonly SigningKey[]> {
  const { rows } = await pool.query<KeyRow>(
    `select kid, public_jwk, private_jwk_sealed, signs_from, published_until
       from signing_keys
      where published_until is null or published_until > now()`,
  );
  return Promise.all(rows.map((row) => openKey(row, ring)));
}

/**
 * Makes the very first key, which signs at once because no token of another one is abroad.
 * Replicas that start together wait for one another, so all of them sign with the same.
 */
export async function ensureSigningKey(pool: pg.Pool, ring: KeyRing): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [MAKING_FIRST_KEY]);
    const { rowCount } = await tx.query('select from signing_keys limit 1');
    if (rowCount === 0) await insertNewKey(tx, ring);
  });
}

async function insertNewKey(tx: pg.PoolClient, ring: KeyRing): Promise<void> {
  const pair = await generateKeyPair(ALGORITHM, { extractable: true });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk); // RFC 7638: the name follows from the key.
  const privateJwk = Buffer.from(JSON.stringify(await exportJWK(pair.privateKey)));

  await tx.query(
    `insert into signing_keys (kid, public_jwk, private_jwk_sealed, created_at, signs_from)
     values ($1, $2, $3, now(), now())`,
    [
      kid,
      JSON.stringify({ ...publicJwk, kid, alg: ALGORITHM, use: 'sig' }),
      sealWithRing(ring, privateJwk, placeOf(kid)),
    ],
  );
}

async function openKey(row: KeyRow, ring: KeyRing): Promise<SigningKey> {
  const { kid, public_jwk: publicJwk, signs_from: signsFrom } = row;
  const privateJwk = JSON.parse(
    openWithRing(ring, row.private_jwk_sealed, placeOf(kid)).toString(),
  ) as JWK;
  return {
    kid,
    publicJwk,
    publicKey: (await importJWK(publicJwk, ALGORITHM)) as CryptoKey,
    privateKey: (await importJWK(privateJwk, ALGORITHM)) as CryptoKey,
    signsFrom,
    publishedUntil: row.published_until ?? undefined,
  };
}

const placeOf = (kid: string): string => `signing_keys/private_jwk_sealed/${kid}`;

export const signingKeyColumn: RingColumn = {
  table: 'signing_keys',
  column: 'private_jwk_sealed',
  key: 'kid',
  keyType: 'text',
  place: placeOf,
};
