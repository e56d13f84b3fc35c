import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { KeyRing } from './key-ring.js';
import { unwrapWithRing, wrapWithRing } from './ring-seal.js';
import { ShreddedError } from './vault-errors.js';

const KEY_BYTES = 32;

export type Queryable = Pick<pg.ClientBase, 'query'>;

/** A subject's key, unwrapped for one call. Nobody keeps it, so shredding holds from its commit on. */
export interface DataKey {
  readonly key: KeyObject;
  /** 1, and one more with each renewal. What is sealed carries it. */
  readonly generation: number;
}

/** A key as it lies in the table. */
export interface DataKeyRow {
  readonly generation: number;
  /** null: destroyed. */
  readonly wrapped: Buffer | null;
}

/** The subject's living key; undefined when it never had one. Throws ShreddedError when destroyed. */
export async function findDataKey(
  db: Queryable,
  ring: KeyRing,
  subject: string,
): Promise<DataKey | undefined> {
  const row = await findDataKeyRow(db, subject);
  return row && unwrap(ring, subject, row);
}

/** The rows of many subjects, in one read. */
export async function findDataKeyRows(
  db: Queryable,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, DataKeyRow>> {
  const { rows } = await db.query<DataKeyRow & { readonly subject: string }>({
    name: 'vault_find_data_keys',
    text: 'select subject, generation, wrapped from data_keys where subject = any ($1)',
    values: [subjects],
  });
  return new Map(rows.map((row) => [row.subject, row]));
}

/** The subject's first key, or the one that somebody made at the same moment: all get the same. */
export async function firstDataKey(
  db: Queryable,
  ring: KeyRing,
  subject: string,
): Promise<DataKey> {
  // `do nothing` would return no row for the key of a racing transaction; this waits for it and
  // returns it.
  const { rows } = await db.query<DataKeyRow>(
    `insert into data_keys (subject, generation, key_id, wrapped) values ($1, 1, $2, $3)
         on conflict (subject) do update set subject = excluded.subject
      returning generation, wrapped`,
    [subject, ring.newest.id, wrappedNewKey(ring, subject, 1)],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('Postgres returned no row for a data key.');
  return unwrap(ring, subject, row);
}

/** A new key where the old one was destroyed. A living key stays, and so does a missing one. */
export async function renewDataKey(db: Queryable, ring: KeyRing, subject: string): Promise<void> {
  const row = await findDataKeyRow(db, subject);
  if (row === undefined || row.wrapped !== null) return;

  const generation = row.generation + 1;
  await db.query(
    `update data_keys
        set generation = $2, key_id = $3, wrapped = $4, created_at = now(), destroyed_at = null
      where subject = $1 and generation = $2 - 1 and wrapped is null`,
    [subject, generation, ring.newest.id, wrappedNewKey(ring, subject, generation)],
  );
}

/** Leaves a row without a key behind, also where there was none: a late seal must not revive it. */
export async function destroyDataKey(db: Queryable, subject: string): Promise<void> {
  await db.query(
    `insert into data_keys (subject, generation, destroyed_at) values ($1, 1, now())
         on conflict (subject) do update
        set key_id = null, wrapped = null, destroyed_at = coalesce(data_keys.destroyed_at, now())`,
    [subject],
  );
}

/** Undefined: the subject never had a key. */
export async function findDataKeyRow(
  db: Queryable,
  subject: string,
): Promise<DataKeyRow | undefined> {
  const { rows } = await db.query<DataKeyRow>({
    name: 'vault_find_data_key',
    text: 'select generation, wrapped from data_keys where subject = $1',
    values: [subject],
  });
  return rows[0];
}

/** Throws ShreddedError when it was destroyed, VaultError when the ring does not open it. */
export function unwrap(
  ring: KeyRing,
  subject: string,
  { generation, wrapped }: DataKeyRow,
): DataKey {
  if (wrapped === null) throw new ShreddedError(subject);
  const bytes = unwrapWithRing(ring, 'data-key', wrapped, placeOfDataKey(subject, generation));
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return { key, generation };
}

function wrappedNewKey(ring: KeyRing, subject: string, generation: number): Buffer {
  const bytes = randomBytes(KEY_BYTES);
  const wrapped = wrapWithRing(ring, 'data-key', bytes, placeOfDataKey(subject, generation));
  bytes.fill(0);
  return wrapped;
}

// Binds the wrapped key to its row: copied to another subject it does not open.
export const placeOfDataKey = (subject: string, generation: number): string =>
  `${generation}:${subject}`;
