import type { KeyObject } from 'node:crypto';
import type pg from 'pg';
import {
  type DataKeyRow,
  findDataKeyRows,
  firstDataKey,
  type Queryable,
  unwrap,
} from './data-keys.js';
import type { KeyRing } from './key-ring.js';
import { openWithKey, sealWithKey } from './subject-seal.js';
import { ShreddedError } from './vault-errors.js';

/** Keys of some subjects, for one batch of work. Drop them with the batch: they outlive a shred. */
export interface SubjectKeys {
  /** Returns false when the subject's key is destroyed. */
  has(subject: string): boolean;
  /** Seals a value that `Vault.open` can open. Throws ShreddedError when the subject has no key here. */
  seal(subject: string, plaintext: Buffer, aad: string): Buffer;
  /** Opens what `Vault.seal` sealed. Throws ShreddedError or VaultError. */
  open(subject: string, sealed: Buffer, aad: string): Buffer;
}

/**
 * Reads the keys of many subjects at once, and makes those that are missing: for hot paths, where a read for each value
 * would be most of the work. `found` holds rows that the caller has already, committed or read in `tx`; the others are
 * read.
 */
export const subjectKeys =
  ({ pool, ring }: { pool: pg.Pool; ring: KeyRing }) =>
  async (
    subjects: readonly string[],
    tx?: pg.ClientBase,
    found?: ReadonlyMap<string, DataKeyRow>,
  ): Promise<SubjectKeys> => {
    const db = tx ?? pool;
    const rows = await rowsOf(db, subjects, found);
    const keys = new Map<string, KeyObject>();
    // Keys are made one after the other, because each is a statement on the same connection.
    for (const subject of subjects) {
      if (!rows.has(subject)) keys.set(subject, await firstDataKey(db, ring, subject));
    }

    // A key is unwrapped when it is used: a key that does not open must not affect the others of the batch.
    const keyOf = (subject: string): KeyObject => {
      const row = rows.get(subject);
      const key = keys.get(subject) ?? (row && unwrap(ring, subject, row));
      if (key === undefined) throw new ShreddedError(subject);
      keys.set(subject, key);
      return key;
    };
    return {
      has: (subject) => keys.has(subject) || (rows.get(subject)?.wrapped ?? null) !== null,

      seal: (subject, plaintext, aad) => sealWithKey(keyOf(subject), subject, plaintext, aad),

      open: (subject, sealed, aad) => openWithKey(keyOf(subject), subject, sealed, aad),
    };
  };

async function rowsOf(
  db: Queryable,
  subjects: readonly string[],
  found: ReadonlyMap<string, DataKeyRow> | undefined,
): Promise<ReadonlyMap<string, DataKeyRow>> {
  if (found === undefined) return findDataKeyRows(db, subjects);
  const others = subjects.filter((subject) => !found.has(subject));
  if (others.length === 0) return found;
  return new Map([...found, ...(await findDataKeyRows(db, others))]);
}
