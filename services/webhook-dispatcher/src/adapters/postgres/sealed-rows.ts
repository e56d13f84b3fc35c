import { type DataKeyRow, ShreddedError, type SubjectKeys } from '@junction/vault';
import type pg from 'pg';

/** The keys of these users, read at once for a whole batch but for those that were found already. */
export type Unlock = (
  subjects: readonly string[],
  tx?: pg.ClientBase,
  found?: ReadonlyMap<string, DataKeyRow>,
) => Promise<SubjectKeys>;

export interface SealedBytes {
  readonly userId: string;
  readonly bytes: Buffer;
  /** null: not sealed. */
  readonly keyId: string | null;
  /** Table, column and row: sealed bytes open nowhere else. */
  readonly place: string;
}

/** Opens sealed bytes, in the order given; undefined where the user's key is destroyed or does not fit. */
export type OpenSealed = (
  sealed: readonly SealedBytes[],
) => Promise<readonly (Buffer | undefined)[]>;

/** Value of the key_id column in a row that is sealed with the key of its user. */
export const USER_KEY = 'user';

export const openSealedRows =
  (unlock: Unlock, onError: (error: unknown) => void): OpenSealed =>
  async (rows) => {
    const subjects = new Set(rows.filter(({ keyId }) => keyId !== null).map((row) => row.userId));
    const keys = subjects.size > 0 ? await unlock([...subjects]) : undefined;
    return rows.map(({ userId, bytes, keyId, place }) => {
      if (keyId === null || keys === undefined) return bytes;
      try {
        return keys.open(userId, bytes, place);
      } catch (error) {
        // A row that does not open must not keep the other rows from being read.
        if (!(error instanceof ShreddedError)) onError(error);
        return undefined;
      }
    });
  };
