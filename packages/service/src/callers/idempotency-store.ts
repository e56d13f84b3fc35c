import { randomBytes, randomUUID } from 'node:crypto';
import type { Migration } from '@junction/eventsourcing/postgres';
import type { Pool } from 'pg';
import { fingerprint, sameFingerprint } from './fingerprint.js';

/** Encrypts what the key ring can open again. `aad` binds the ciphertext to its row. */
export interface Sealing {
  seal(plaintext: Buffer, aad: string): Buffer | Promise<Buffer>;
  open(sealed: Buffer, aad: string): Buffer | Promise<Buffer>;
}

/** Result of an attempt to claim a request: only its owner executes it. */
export type Claim =
  | { readonly kind: 'ours'; readonly owner: string }
  | { readonly kind: 'answered'; readonly answer: Buffer }
  | { readonly kind: 'in_progress' }
  | { readonly kind: 'other_body' };

/** Body of a request, in the two ways in which it is compared. */
export interface ComparedBody {
  /** With its members in their order: versions before 'service/0004' compare nothing else. */
  readonly ordered: Buffer;
  /** As a JSON value, whose members have no order. */
  readonly value: Buffer;
}

export interface IdempotencyStore {
  /** `callerId`: of the user whose deletion takes the row along, or of a client. */
  claim(id: string, callerId: string, body: ComparedBody): Promise<Claim>;
  /** Keeps the answer of the request that holds the claim. */
  answer(id: string, owner: string, answer: Buffer): Promise<void>;
  /** Releases the claim: the next request executes. */
  release(id: string, owner: string): Promise<void>;
  /** Deletes up to a batch of expired rows. */
  purge(): Promise<void>;
}

/** Time after which the claim of a process that died expires: longer than the bounded calls of any handler together. */
const LEASE = '60 seconds';
const KEPT_FOR = '24 hours';
const PURGE_MAX = 1_000;
const HASH_KEY_BYTES = 32;

interface Row {
  readonly hash_key: Buffer;
  readonly body_hash: Buffer;
  /** null: a version before 'service/0004' wrote the row. */
  readonly value_hash: Buffer | null;
  readonly answer: Buffer | null;
  readonly owner: string;
  readonly leased: boolean;
}

/**
 * Claims and answers in Postgres. Each row has its own random hash key, sealed like the answer, so
 * neither a guess at the body nor the rotation of the ring's keys gets anywhere.
 */
export const idempotencyStore = (pool: Pool, sealing: Sealing): IdempotencyStore => ({
  async claim(id, callerId, body) {
    const owner = await insert(pool, sealing, { id, callerId, body });
    if (owner !== undefined) return { kind: 'ours', owner };

    const { rows } = await pool.query<Row>({
      name: 'service/idempotency-read',
      text: `select hash_key, body_hash, value_hash, answer, owner, leased_until > now() as leased
               from idempotency_keys where id = $1`,
      values: [id],
    });
    const row = rows[0];
    // The row was released between the two statements. Its owner has just answered "ask again", and so do we.
    if (row === undefined) return { kind: 'in_progress' };

    const hashKey = await sealing.open(row.hash_key, placeOf(id, 'hash_key'));
    if (!isSameBody(row, hashKey, body)) return { kind: 'other_body' };
    if (row.answer !== null) {
      return { kind: 'answered', answer: await sealing.open(row.answer, placeOf(id, 'answer')) };
    }
    return row.leased ? { kind: 'in_progress' } : takeOver(pool, id, row.owner);
  },

  async answer(id, owner, answer) {
    await pool.query({
      name: 'service/idempotency-answer',
      text: 'update idempotency_keys set answer = $3 where id = $1 and owner = $2',
      values: [id, owner, await sealing.seal(answer, placeOf(id, 'answer'))],
    });
  },

  async release(id, owner) {
    await pool.query({
      name: 'service/idempotency-release',
      text: 'delete from idempotency_keys where id = $1 and owner = $2 and answer is null',
      values: [id, owner],
    });
  },

  async purge() {
    await pool.query(
      `delete from idempotency_keys where id in (
         select id from idempotency_keys where expires_at <= now()
          limit ${PURGE_MAX} for update skip locked)`,
    );
  },
});

/** A version before 'service/0004' leaves `value_hash` as it was when it writes a row anew. */
const isSameBody = (row: Row, hashKey: Buffer, { ordered, value }: ComparedBody): boolean =>
  sameFingerprint(fingerprint(hashKey, ordered), row.body_hash) ||
  (row.value_hash !== null && sameFingerprint(fingerprint(hashKey, value), row.value_hash));

const placeOf = (id: string, column: string): string => `idempotency_keys/${column}/${id}`;

/** Columns that the ring has sealed here, for rotating its keys. */
export const idempotencyColumns = (['hash_key', 'answer'] as const).map((column) => ({
  table: 'idempotency_keys',
  column,
  key: 'id',
  keyType: 'text' as const,
  place: (id: string) => placeOf(id, column),
}));

/** Returns the new owner when the row was free: there was none, or its 24 hours are over. */
async function insert(
  pool: Pool,
  sealing: Sealing,
  { id, callerId, body }: { id: string; callerId: string; body: ComparedBody },
): Promise<string | undefined> {
  const hashKey = randomBytes(HASH_KEY_BYTES);
  const sealedKey = await sealing.seal(hashKey, placeOf(id, 'hash_key'));
  const owner = randomUUID();
  const { rowCount } = await pool.query({
    name: 'service/idempotency-insert',
    text: `insert into idempotency_keys as k
             (id, user_id, hash_key, body_hash, value_hash, owner, leased_until, expires_at)
           values ($1, $2, $3, $4, $5, $6,
                   now() + interval '${LEASE}', now() + interval '${KEPT_FOR}')
           on conflict (id) do update
             set hash_key = excluded.hash_key, body_hash = excluded.body_hash,
                 value_hash = excluded.value_hash, owner = excluded.owner, answer = null,
                 leased_until = excluded.leased_until, expires_at = excluded.expires_at
           where k.expires_at <= now()`,
    values: [
      id,
      callerId,
      sealedKey,
      fingerprint(hashKey, body.ordered),
      fingerprint(hashKey, body.value),
      owner,
    ],
  });
  return rowCount === 1 ? owner : undefined;
}

/**
 * Takes over a claim whose holder died: its lease ran out without an answer. Among all requests that notice, one takes
 * over.
 */
async function takeOver(pool: Pool, id: string, from: string): Promise<Claim> {
  const owner = randomUUID();
  const { rowCount } = await pool.query({
    name: 'service/idempotency-take-over',
    text: `update idempotency_keys
              set owner = $3, leased_until = now() + interval '${LEASE}'
            where id = $1 and owner = $2 and answer is null and leased_until <= now()`,
    values: [id, from, owner],
  });
  return rowCount === 1 ? { kind: 'ours', owner } : { kind: 'in_progress' };
}

export const idempotencyMigrations: readonly Migration[] = [
  {
    name: 'service/0002_idempotency_keys',
    async up(db) {
      await db.raw(`
        create table idempotency_keys (
          id           text        primary key, -- hash of user, route and key: all three are the caller's
          user_id      text        not null,
          hash_key     bytea       not null,    -- sealed
          body_hash    bytea       not null,
          owner        uuid        not null,    -- which execution may write the answer
          leased_until timestamptz not null,
          answer       bytea,                   -- sealed; null while in progress
          expires_at   timestamptz not null
        );
        create index idempotency_keys_by_expiry on idempotency_keys (expires_at);
        create index idempotency_keys_by_user on idempotency_keys (user_id);
      `);
    },
  },
  {
    name: 'service/0004_idempotency_values',
    async up(db) {
      await db.raw('alter table idempotency_keys add column value_hash bytea');
    },
  },
];
