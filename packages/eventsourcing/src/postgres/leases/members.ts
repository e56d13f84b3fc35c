import type pg from 'pg';
import { LEASE } from './lease-table.js';

/** A living participant among which keys are divided. */
export interface Member<A = unknown> {
  readonly owner: string;
  /** Attributes that the member announced of itself. */
  readonly attributes: A;
  /** Milliseconds until the member no longer counts, unless it is announced again. */
  readonly expiresInMs: number;
}

/** Registry of living members, with or without a lease: keys are divided among these. */
export interface Members<A = unknown> {
  /** Announces this member, and returns all that live. */
  announce(attributes: A): Promise<readonly Member<A>[]>;
  /** Removes this member from those that live, so that the others want its portion. */
  retire(): Promise<void>;
}

export interface MembersOptions {
  readonly pool: pg.Pool;
  /**
   * Table with the columns owner (text, its key), expires_at (timestamptz) and attributes (jsonb). The name must come
   * from the code, never from outside: it is not quoted.
   */
  readonly table: string;
  readonly owner: string;
  readonly expiryMs?: number;
}

/** Keeps members as rows of a table, by the database's clock. */
export function members<A>(options: MembersOptions): Members<A> {
  const { pool, table, owner, expiryMs = LEASE.expiryMs } = options;
  return {
    async announce(attributes) {
      const { rows } = await pool.query<Member<A>>({
        name: `${table}_announce`,
        text: `
          with gone as (
            delete from ${table} where expires_at < now() - interval '1 minute' and owner <> $1
          ), here as (
            insert into ${table} (owner, attributes, expires_at)
            values ($1, $2, now() + $3 * interval '1 ms')
            on conflict (owner) do update
              set expires_at = excluded.expires_at, attributes = excluded.attributes
            returning *
          ), alive as (
            select * from here
            union all
            select * from ${table} where expires_at > now() and owner <> $1
          )
          select owner, attributes,
                 extract(epoch from expires_at - now())::float8 * 1000 as "expiresInMs"
            from alive`,
        values: [owner, JSON.stringify(attributes), expiryMs],
      });
      return rows;
    },

    async retire() {
      await pool.query(`delete from ${table} where owner = $1`, [owner]);
    },
  };
}
