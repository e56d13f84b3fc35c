import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { batcher } from '@junction/async';
import type pg from 'pg';
import type { KeyRing } from './key-ring.js';
import { unwrapWithRing, wrapWithRing } from './ring-seal.js';
import { ShreddedError } from './vault-errors.js';

const KEY_BYTES = 32;

export type Queryable = Pick<pg.ClientBase, 'query'>;

/** A key as it lies in the table. */
export interface DataKeyRow {
  /** Wrapped key; null when the key was destroyed. */
  readonly wrapped: Buffer | null;
}

/**
 * Returns the row of a subject; undefined when it never had a key. Calls on the same connection or pool that come
 * together, as for the fields of an event and the events of a stream, share one read, which begins after all of them.
 */
export function findDataKeyRow(db: Queryable, subject: string): Promise<DataKeyRow | undefined> {
  let find = finders.get(db);
  if (find === undefined) finders.set(db, (find = finderOn(db)));
  return find(subject);
}

type Finder = (subject: string) => Promise<DataKeyRow | undefined>;

const finders = new WeakMap<Queryable, Finder>();
const READS_AT_ONCE = 4;
const SUBJECTS_MAX = 1_000;

const finderOn = (db: Queryable): Finder =>
  batcher({
    concurrency: READS_AT_ONCE,
    sizeMax: SUBJECTS_MAX,
    async process(subjects) {
      const rows = await findDataKeyRows(db, [...new Set(subjects)]);
      return subjects.map((subject) => rows.get(subject));
    },
  });

/** Returns the rows of these subjects, in one read; a subject that never had a key has none. */
export async function findDataKeyRows(
  db: Queryable,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, DataKeyRow>> {
  const { rows } = await db.query<DataKeyRow & { readonly subject: string }>({
    name: 'vault_find_data_keys',
    text: 'select subject, wrapped from data_keys where subject = any ($1)',
    values: [subjects],
  });
  return new Map(rows.map((row) => [row.subject, row]));
}

/**
 * Makes the subject's first key, or returns the one that another transaction made at the same moment: all get the same
 * key.
 */
export async function firstDataKey(
  db: Queryable,
  ring: KeyRing,
  subject: string,
): Promise<KeyObject> {
  const bytes = randomBytes(KEY_BYTES);
  const wrapped = wrapWithRing(ring, 'data-key', bytes, subject);
  bytes.fill(0);
  // `do nothing` would return no row for the key of a racing transaction; this waits for it and
  // returns it.
  const { rows } = await db.query<DataKeyRow>(
    `insert into data_keys (subject, key_id, wrapped) values ($1, $2, $3)
         on conflict (subject) do update set subject = excluded.subject
      returning wrapped`,
    [subject, ring.newest.id, wrapped],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('Postgres returned no row for a data key.');
  return unwrap(ring, subject, row);
}

/**
 * Destroys the keys of these subjects. Leaves rows without a key behind, also where there was no row: a late seal must
 * not make a key again.
 */
export async function destroyDataKeys(db: Queryable, subjects: readonly string[]): Promise<void> {
  await db.query(
    `insert into data_keys (subject, destroyed_at) select distinct s, now() from unnest($1::text[]) s order by s
         on conflict (subject) do update
        set key_id = null, wrapped = null, destroyed_at = coalesce(data_keys.destroyed_at, now())`,
    [subjects],
  );
}

/**
 * Returns the subject's key, for one call: nobody keeps it, so shredding holds from its commit on. Throws ShreddedError
 * when the key was destroyed, VaultError when the ring does not open it.
 */
export function unwrap(ring: KeyRing, subject: string, { wrapped }: DataKeyRow): KeyObject {
  if (wrapped === null) throw new ShreddedError(subject);
  // The subject binds the wrapped key to its row: copied to another one it does not open.
  const bytes = unwrapWithRing(ring, 'data-key', wrapped, subject);
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return key;
}
