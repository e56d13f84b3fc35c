import type pg from 'pg';
import type { RingPurpose } from './ring-seal.js';

/** A column with values of `sealWithRing`. Names are written into SQL: they come from code alone. */
export interface RingColumn {
  readonly table: string;
  readonly column: string;
  /** The primary key, one column. */
  readonly key: string;
  readonly keyType: 'text' | 'uuid' | 'bytea';
  /** Returns the `aad` that the row with this key (a bytea in hex) was sealed with. */
  readonly place: (key: string) => string;
}

/** Sealed value of a row, ready to be opened. */
export interface RingSealed {
  readonly key: string | Buffer;
  readonly sealed: Buffer;
  readonly place: string;
}

/** A column in the database that needs the keys of the ring. */
export interface RingPlace {
  readonly table: string;
  readonly column: string;
  readonly purpose: RingPurpose;
  /** Reads a page of rows under another key than the one with this header, by key, locked for `tx`. */
  read(
    tx: pg.ClientBase,
    header: Buffer,
    after: string | Buffer | undefined,
    limit: number,
  ): Promise<readonly RingSealed[]>;
  /** Reads a few rows under the key with this header. */
  sample(db: Pick<pg.Pool, 'query'>, header: Buffer, limit: number): Promise<readonly RingSealed[]>;
  write(tx: pg.ClientBase, keyId: string, rows: readonly RingSealed[]): Promise<void>;
}

interface PlaceOptions extends RingColumn {
  readonly purpose: RingPurpose;
  /** SQL that is written beside the column; `$3` is the id of the key. */
  readonly beside?: string;
}

/** Returns the column of the data keys, and those of the service. */
export const ringPlaces = (columns: readonly RingColumn[]): readonly RingPlace[] => [
  ringPlace({
    table: 'data_keys',
    column: 'wrapped',
    key: 'subject',
    keyType: 'text',
    purpose: 'data-key',
    beside: ', key_id = $3',
    place: (subject) => subject,
  }),
  ...columns.map((column) => ringPlace({ ...column, purpose: 'value' })),
];

interface Row {
  readonly key: string | Buffer;
  readonly sealed: Buffer;
}

function ringPlace(options: PlaceOptions): RingPlace {
  const { table, column, key, keyType, purpose, beside = '' } = options;
  const selected = `select ${key} as key, ${column} as sealed from ${table}`;
  const begins = `substring(${column} from 1 for $2)`;
  const located = ({ key, sealed }: Row): RingSealed => ({
    key,
    sealed,
    place: options.place(typeof key === 'string' ? key : key.toString('hex')),
  });
  return {
    table,
    column,
    purpose,

    // Locked rows are skipped: waiting for them with rows of our own locked could end in a deadlock with a request. A
    // later pass finds these rows.
    async read(tx, header, after, limit) {
      const { rows } = await tx.query<Row>(
        `${selected} where ${begins} <> $1 and ($3::${keyType} is null or ${key} > $3)
          order by ${key} limit ${limit} for no key update skip locked`,
        [header, header.length, after ?? null],
      );
      return rows.map(located);
    },

    async sample(db, header, limit) {
      const { rows } = await db.query<Row>(`${selected} where ${begins} = $1 limit ${limit}`, [
        header,
        header.length,
      ]);
      return rows.map(located);
    },

    async write(tx, keyId, rows) {
      const values = [rows.map((row) => row.key), rows.map(({ sealed }) => sealed)];
      await tx.query(
        `update ${table} as t set ${column} = u.sealed${beside}
           from unnest($1::${keyType}[], $2::bytea[]) as u (key, sealed) where t.${key} = u.key`,
        beside === '' ? values : [...values, keyId],
      );
    },
  };
}
