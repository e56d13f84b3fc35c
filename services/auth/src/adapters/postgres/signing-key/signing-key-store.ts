import { statement } from '@junction/eventsourcing/postgres';
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
import type { SigningKeyPair, StoredSigningKey } from '../../../application/signing-key/ports.js';
import type { Rotation } from '../../../domain/signing-key/rotation.js';
import { ALGORITHM, type SigningKey } from '../../jwt/signing-keys.js';

// Any number will do, as long as every replica asks for the same one.
const ROTATING = 6_021_023_001;

interface KeyRow {
  readonly kid: string;
  readonly publicJwk: JWK;
  readonly sealed: Buffer;
  readonly signsFrom: Date;
  readonly publishedUntil: Date | null;
}

/** Every key that is, was lately or will soon be in use, opened. */
export async function loadSigningKeys(
  pool: pg.Pool,
  ring: KeyRing,
): Promise<readonly SigningKey[]> {
  const { rows } = await listPublished(pool);
  return Promise.all(rows.map((row) => openKey(row, ring)));
}

/** Returns since when the newest key that signs has been signing; undefined: none signs. */
export async function signingSince(pool: pg.Pool): Promise<Date | undefined> {
  const { rows } = await findSigningSince(pool);
  return rows[0]?.since ?? undefined;
}

export const postgresSigningKeys = (pool: pg.Pool) => ({
  newPair,

  /** Destroys the private halves of keys that are published no more. */
  async destroyEnded(now: Date) {
    await destroyKeys(pool, { now });
  },
});

interface TableOptions {
  readonly ring: KeyRing;
  readonly onAdded: () => void;
}

export const signingKeyTable = (tx: pg.ClientBase, { ring, onAdded }: TableOptions) => ({
  /** Lists the keys that are published. Replicas that rotate them come one after the other. */
  async lock() {
    await lockRotation(tx);
    const { rows } = await listStored(tx);
    return rows.map((row) => ({ ...row, publishedUntil: row.publishedUntil ?? undefined }));
  },

  /** Adds a key; all others are published until `publishedUntil` at the longest. */
  async rotate(
    { kid, publicJwk, privateJwk }: SigningKeyPair,
    { at, signsFrom, publishedUntil }: Rotation & { readonly at: Date },
  ) {
    await endKeys(tx, { published_until: publishedUntil });
    await insertKey(tx, {
      kid,
      public_jwk: JSON.stringify(publicJwk),
      sealed: sealWithRing(ring, privateJwk, placeOf(kid)),
      created_at: at,
      signs_from: signsFrom,
    });
    onAdded();
  },
});

async function newPair(): Promise<SigningKeyPair> {
  const pair = await generateKeyPair(ALGORITHM, { extractable: true });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk); // RFC 7638: the name follows from the key.
  return {
    kid,
    publicJwk: { ...publicJwk, kid, alg: ALGORITHM, use: 'sig' },
    privateJwk: Buffer.from(JSON.stringify(await exportJWK(pair.privateKey))),
  };
}

async function openKey(
  { kid, publicJwk, sealed, signsFrom, publishedUntil }: KeyRow,
  ring: KeyRing,
): Promise<SigningKey> {
  const privateJwk = JSON.parse(openWithRing(ring, sealed, placeOf(kid)).toString()) as JWK;
  return {
    kid,
    publicJwk,
    publicKey: (await importJWK(publicJwk, ALGORITHM)) as CryptoKey,
    privateKey: (await importJWK(privateJwk, ALGORITHM)) as CryptoKey,
    signsFrom,
    publishedUntil: publishedUntil ?? undefined,
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

const listPublished = statement<KeyRow>(`
select kid, public_jwk as "publicJwk", private_jwk_sealed as sealed, signs_from as "signsFrom",
       published_until as "publishedUntil"
  from signing_keys
 where private_jwk_sealed is not null and (published_until is null or published_until > now())`);

const findSigningSince = statement<{ since: Date | null }>(
  'select max(signs_from) as since from signing_keys where signs_from <= now()',
);

const destroyKeys = statement(`
update signing_keys set private_jwk_sealed = null
 where private_jwk_sealed is not null and published_until <= :now`);

const lockRotation = statement(`select pg_advisory_xact_lock(${ROTATING})`);

const listStored = statement<StoredSigningKey & { publishedUntil: Date | null }>(`
select kid, created_at as "createdAt", published_until as "publishedUntil"
  from signing_keys where private_jwk_sealed is not null`);

const endKeys = statement(`
update signing_keys set published_until = :published_until
 where published_until is null or published_until > :published_until`);

const insertKey = statement(`
insert into signing_keys (kid, public_jwk, private_jwk_sealed, created_at, signs_from)
values (:kid, :public_jwk, :sealed, :created_at, :signs_from)`);
