import type { EventStore } from '@junction/eventsourcing';
import { inTransaction, type PostgresEventStore } from '@junction/eventsourcing-postgres';
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
import type { SigningKeyStore, StoredSigningKey } from '../../application/signing-key/ports.js';
import { streamOf } from '../../application/streams.js';
import type { AuthEvent } from '../../domain/auth-event.js';
import type { SigningKeyEvent } from '../../domain/signing-key/events.js';
import { ALGORITHM, type SigningKey } from '../jwt/signing-keys.js';

// Any number will do, as long as every replica asks for the same one.
const ROTATING = 6_021_023_001;

interface KeyRow {
  readonly kid: string;
  readonly public_jwk: JWK;
  readonly private_jwk_sealed: Buffer;
  readonly signs_from: Date;
  readonly published_until: Date | null;
}

interface StoreOptions {
  readonly pool: pg.Pool;
  readonly ring: KeyRing;
  readonly store: PostgresEventStore<AuthEvent>;
  /** Called after each rotation. */
  readonly rotated: () => void;
}

/** Every key that is, was lately or will soon be in use, opened. */
export async function loadSigningKeys(
  pool: pg.Pool,
  ring: KeyRing,
): Promise<readonly SigningKey[]> {
  const { rows } = await pool.query<KeyRow>(
    `select kid, public_jwk, private_jwk_sealed, signs_from, published_until
       from signing_keys
      where private_jwk_sealed is not null and (published_until is null or published_until > now())`,
  );
  return Promise.all(rows.map((row) => openKey(row, ring)));
}

export const postgresSigningKeys = ({
  pool,
  ring,
  store,
  rotated,
}: StoreOptions): SigningKeyStore => ({
  async rotate(decide) {
    const kid = await inTransaction(pool, async (tx) => {
      await tx.query('select pg_advisory_xact_lock($1)', [ROTATING]);
      // A stream holds the events of its own aggregate only, so a narrower view of the store is safe.
      const streams = store.within(tx) as unknown as EventStore<SigningKeyEvent>;
      const pair = await newPair();
      const decision = decide(await publishedKeys(tx, streams), pair.kid);
      if (decision === undefined) return undefined;
      const { at, signsFrom, publishedUntil, appends } = decision;
      await tx.query(
        `update signing_keys set published_until = $1 where published_until is null or published_until > $1`,
        [publishedUntil],
      );
      await tx.query(
        `insert into signing_keys (kid, public_jwk, private_jwk_sealed, created_at, signs_from)
         values ($1, $2, $3, $4, $5)`,
        [
          pair.kid,
          JSON.stringify(pair.publicJwk),
          sealWithRing(ring, pair.privateJwk, placeOf(pair.kid)),
          at,
          signsFrom,
        ],
      );
      await store.within(tx).append(appends);
      return pair.kid;
    });
    if (kid !== undefined) rotated();
    return kid;
  },

  async destroyEnded(now) {
    await pool.query(
      `update signing_keys set private_jwk_sealed = null
        where private_jwk_sealed is not null and published_until <= $1`,
      [now],
    );
  },
});

async function publishedKeys(
  tx: pg.PoolClient,
  streams: EventStore<SigningKeyEvent>,
): Promise<readonly StoredSigningKey[]> {
  const { rows } = await tx.query<{ kid: string; createdAt: Date; publishedUntil: Date | null }>(
    `select kid, created_at as "createdAt", published_until as "publishedUntil"
       from signing_keys where private_jwk_sealed is not null`,
  );
  const keys: StoredSigningKey[] = [];
  for (const { kid, createdAt, publishedUntil } of rows) {
    const { history, version } = await streams.load(streamOf.signingKey(kid));
    keys.push({ kid, createdAt, publishedUntil: publishedUntil ?? undefined, history, version });
  }
  return keys;
}

async function newPair() {
  const pair = await generateKeyPair(ALGORITHM, { extractable: true });
  const publicJwk = await exportJWK(pair.publicKey);
  const kid = await calculateJwkThumbprint(publicJwk); // RFC 7638: the name follows from the key.
  return {
    kid,
    publicJwk: { ...publicJwk, kid, alg: ALGORITHM, use: 'sig' },
    privateJwk: Buffer.from(JSON.stringify(await exportJWK(pair.privateKey))),
  };
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
