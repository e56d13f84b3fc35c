import type pg from 'pg';
import {
  type DataKeyRow,
  destroyDataKeys,
  findDataKeyRow,
  firstDataKey,
  unwrap,
} from './data-keys.js';
import type { KeyRing } from './key-ring.js';
import { openWithKey, sealWithKey } from './subject-seal.js';
import { VaultError } from './vault-errors.js';

/**
 * Seals what belongs to a subject (a user_id, a con_… id) with a key of its own. `aad` names where the sealed bytes are
 * kept (table, column, id): they open for this subject, there, and nowhere else. Unwrapped keys live for one call and
 * are kept nowhere.
 *
 * With `tx` a call runs in that transaction and sees what the transaction wrote. A transaction that touched a subject's
 * key must go on using `tx` for it: another connection would wait for the end of the transaction.
 */
export interface Vault {
  /** Seals a value, and makes the subject's key at its first use. Throws ShreddedError once the key was destroyed. */
  seal(subject: string, plaintext: Buffer, aad: string, tx?: pg.ClientBase): Promise<Buffer>;

  /** Opens a sealed value. Throws ShreddedError when the key was destroyed, VaultError when the value does not open. */
  open(subject: string, sealed: Buffer, aad: string, tx?: pg.ClientBase): Promise<Buffer>;

  /**
   * Opens a sealed value with the key as the caller has just read it, beside the value: a hot path needs no second
   * read. Undefined: there was no key. Drop the key with the call: it outlives a shred.
   */
  openWith(dataKey: DataKeyRow | undefined, subject: string, sealed: Buffer, aad: string): Buffer;

  /**
   * Destroys the key of a subject, or of several: everything that it sealed is gone. Repeating the call, or calling
   * without a key, does no harm.
   */
  shred(subjects: string | readonly string[], tx?: pg.ClientBase): Promise<void>;
}

export function subjectVault({ pool, ring }: { pool: pg.Pool; ring: KeyRing }): Vault {
  const openWith: Vault['openWith'] = (row, subject, sealed, aad) => {
    if (row === undefined) throw noDataKey(subject);
    return openWithKey(unwrap(ring, subject, row), subject, sealed, aad);
  };

  return {
    async seal(subject, plaintext, aad, tx) {
      const db = tx ?? pool;
      const row = await findDataKeyRow(db, subject);
      const key = row ? unwrap(ring, subject, row) : await firstDataKey(db, ring, subject);
      return sealWithKey(key, subject, plaintext, aad);
    },

    async open(subject, sealed, aad, tx) {
      return openWith(await findDataKeyRow(tx ?? pool, subject), subject, sealed, aad);
    },

    openWith,

    shred: (subjects, tx) => destroyDataKeys(tx ?? pool, [subjects].flat()),
  };
}

const noDataKey = (subject: string) =>
  new VaultError(
    'no_data_key',
    `There is no row in data_keys for ${subject}. It was deleted, or is missing from a restored backup.`,
  );
