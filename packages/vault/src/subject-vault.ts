import type pg from 'pg';
import {
  type DataKeyRow,
  destroyDataKey,
  findDataKey,
  findDataKeyRow,
  firstDataKey,
  renewDataKey,
  unwrap,
} from './data-keys.js';
import { contextOf, decrypt, encrypt } from './envelope.js';
import type { KeyRing } from './key-ring.js';
import { generationOf, HEADER_BYTES, header } from './subject-header.js';
import { ShreddedError, VaultError } from './vault-errors.js';

/**
 * Seals what belongs to a subject (a user_id, a con_… id) with a key of its own. `aad` names the place
 * the sealed bytes are kept in (table, column, id): they open for this subject, there, and nowhere
 * else. Unwrapped keys live for one call and are kept nowhere.
 *
 * With `tx` a call runs in that transaction and sees what it wrote. A transaction that touched a
 * subject's key must go on using `tx` for it: another connection would wait for its end.
 */
export interface Vault {
  /** Makes the subject's key at its first use. Throws ShreddedError once the key was destroyed. */
  seal(subject: string, plaintext: Buffer, aad: string, tx?: pg.ClientBase): Promise<Buffer>;

  /** Throws ShreddedError when the key was destroyed, VaultError when it does not open. */
  open(subject: string, sealed: Buffer, aad: string, tx?: pg.ClientBase): Promise<Buffer>;

  /**
   * The same with the key as the caller has just read it, beside what it sealed: a hot path needs no
   * second read. Undefined: there was none. Let go of it with the call: it outlives a shred.
   */
  openWith(dataKey: DataKeyRow | undefined, subject: string, sealed: Buffer, aad: string): Buffer;

  /** Destroys the subject's key: what it sealed is gone. Again, or without a key, it does no harm. */
  shred(subject: string, tx?: pg.ClientBase): Promise<void>;

  /** Lets a shredded subject seal again, with a new key. What the old one sealed stays gone. */
  renew(subject: string, tx?: pg.ClientBase): Promise<void>;
}

export function subjectVault({ pool, ring }: { pool: pg.Pool; ring: KeyRing }): Vault {
  const openWith: Vault['openWith'] = (row, subject, sealed, aad) => {
    const sealedIn = generationOf(sealed);
    if (row === undefined) throw noDataKey(subject);
    const { key, generation } = unwrap(ring, subject, row);
    if (sealedIn < generation) throw new ShreddedError(subject);
    return decrypt(key, HEADER_BYTES, sealed, contextOf(subject, aad));
  };

  return {
    async seal(subject, plaintext, aad, tx) {
      const db = tx ?? pool;
      const dataKey =
        (await findDataKey(db, ring, subject)) ?? (await firstDataKey(db, ring, subject));
      return encrypt(dataKey.key, header(dataKey.generation), plaintext, contextOf(subject, aad));
    },

    async open(subject, sealed, aad, tx) {
      const row = await findDataKeyRow(tx ?? pool, subject);
      return openWith(row, subject, sealed, aad);
    },

    openWith,

    shred: (subject, tx) => destroyDataKey(tx ?? pool, subject),
    renew: (subject, tx) => renewDataKey(tx ?? pool, ring, subject),
  };
}

const noDataKey = (subject: string) =>
  new VaultError(
    'no_data_key',
    `There is no row in data_keys for ${subject}. It was deleted, or is missing from a restored backup.`,
  );
