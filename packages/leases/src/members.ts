import type pg from 'pg';
import { LEASE } from './lease-table.js';

/** One of those that share something, alive. */
export interface Member<A = unknown> {
  readonly owner: string;
  /** What it said of itself. */
  readonly attributes: A;
  /** When it stops counting, unless it is announced again. */
  readonly expiresInMs: number;
}

/** Who is alive, with or without a lease: shares are computed over these. */
export interface Members<A = unknown> {
  /** Says that this member lives, and gives all that do. */
  announce(attributes: A): Promise<readonly Member<A>[]>;
  /** Stops counting among those that live, so that the others want its share. */
  retire(): Promise<void>;
}

export interface MembersOptions {
  readonly pool: pg.Pool;
  /**
   * From the code, never from outside: it is not quoted. Has the columns owner (text, its key),
   * expires_at (timestamptz) and attributes (jsonb).
   */
  readonly table: string;
  readonly owner: string;
  readonly expiryMs?: number;
}

/** Members as rows of a table, by the database's clock. */
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
