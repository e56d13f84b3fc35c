import { randomUUID } from 'node:crypto';
import type pg from 'pg';

export interface LeaseTimes {
  readonly renewMs: number;
  readonly expiryMs: number;
}

/** Renewed every 2 s, and free for others when that failed to happen for 6 s. */
export const LEASE: LeaseTimes = { renewMs: 2_000, expiryMs: 6_000 };

/**
 * For how many milliseconds of the own clock, from before the renewal was asked for, a holder may trust a
 * lease: it ends for the holder before it ends for the others.
 */
export const trustedMs = (expiryMs: number): number => (expiryMs * 5) / 6;

/** What is ours for as long as its row names us and this epoch. */
export interface Held<K> {
  readonly key: K;
  /** A bigint, as text. Counts the owners: a write that names it fails once another has come. */
  readonly epoch: string;
}

/** Leases of one owner. The database's clock decides what has run out. */
export interface LeaseTable<K> {
  /** Renews what is mine of these and takes what is free; gives what is mine of them. */
  hold(keys: readonly K[]): Promise<readonly Held<K>[]>;
  /** Free at once for whoever looks next. */
  release(keys: readonly K[]): Promise<void>;
  /** Gives everything up: the others need not wait for the expiry. */
  leave(): Promise<void>;
}

/** The identifiers come from the code, never from outside: they are not quoted. */
export interface LeaseTableOptions {
  readonly pool: pg.Pool;
  /** Has the columns owner (text, null when free), epoch (bigint) and expires_at (timestamptz). */
  readonly table: string;
  /** The column of its primary key, and the type of that. */
  readonly key: string;
  readonly keyType: 'smallint' | 'text';
  /** Must be new for each process: an owner that comes back would find its old epochs. */
  readonly owner?: string;
  readonly expiryMs?: number | undefined;
}

/** Leases as rows of a table. A key that has no row yet gets one. */
export function leaseTable<K extends number | string>(options: LeaseTableOptions): LeaseTable<K> {
  const { pool, table, key, keyType, owner = randomUUID() } = options;
  const { expiryMs = LEASE.expiryMs } = options;
  // An update alone locks rows in no particular order, and could deadlock with `hold`.
  const free = (mine: string) => `
    update ${table} set owner = null where ${key} in (${mine} order by ${key} for update)`;

  return {
    async hold(keys) {
      if (keys.length === 0) return [];
      // In the order of the keys, so that two who want the same never deadlock. An own lease that ran
      // out keeps its epoch: nobody took it, so nothing of ours is out of date.
      const { rows } = await pool.query<Held<K>>({
        name: `${table}_hold`,
        text: `
          insert into ${table} as l (${key}, owner, epoch, expires_at)
          select k, $1, 1, now() + $3 * interval '1 ms' from unnest($2::${keyType}[]) k order by k
          on conflict (${key}) do update
             set owner = excluded.owner, expires_at = excluded.expires_at,
                 epoch = l.epoch + case when l.owner = excluded.owner then 0 else 1 end
           where l.owner = excluded.owner or l.owner is null or l.expires_at <= now()
          returning ${key} as key, epoch`,
        values: [owner, keys, expiryMs],
      });
      return rows;
    },

    async release(keys) {
      if (keys.length === 0) return;
      await pool.query(
        free(`select ${key} from ${table} where owner = $1 and ${key} = any ($2::${keyType}[])`),
        [owner, keys],
      );
    },

    async leave() {
      await pool.query(free(`select ${key} from ${table} where owner = $1`), [owner]);
    },
  };
}
