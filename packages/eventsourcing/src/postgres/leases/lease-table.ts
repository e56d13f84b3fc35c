import { randomUUID } from 'node:crypto';
import type pg from 'pg';

export interface LeaseTimes {
  readonly renewMs: number;
  readonly expiryMs: number;
}

/** Leases are renewed every 2 s, and free for others after 6 s without a renewal. */
export const LEASE: LeaseTimes = { renewMs: 2_000, expiryMs: 6_000 };

/**
 * Returns for how many milliseconds of its own clock, from before the renewal was requested, a holder may trust a
 * lease: the lease ends for the holder before it ends for the others.
 */
export const trustedMs = (expiryMs: number): number => (expiryMs * 5) / 6;

/** A lease that is ours for as long as its row names us and this epoch. */
export interface Held<K> {
  readonly key: K;
  /** A bigint, as text, that counts the owners: a write that names the epoch fails once another owner has come. */
  readonly epoch: string;
}

/** Leases of one owner. The database's clock decides what has run out. */
export interface LeaseTable<K> {
  /** Renews this owner's leases of these keys, takes those that are free, and returns all that it now holds. */
  hold(keys: readonly K[]): Promise<readonly Held<K>[]>;
  /** Frees leases at once, for the next owner that looks. */
  release(keys: readonly K[]): Promise<void>;
  /** Gives all leases up, so that the others need not wait for the expiry. */
  leave(): Promise<void>;
}

/** Options of a lease table. Identifiers must come from the code, never from outside: they are not quoted. */
export interface LeaseTableOptions {
  readonly pool: pg.Pool;
  /** Table with the columns owner (text, null when free), epoch (bigint) and expires_at (timestamptz). */
  readonly table: string;
  /** Column of the primary key, and its type. */
  readonly key: string;
  readonly keyType: 'smallint' | 'text';
  /** Name of the owner. It must be new for each process: an owner that comes back would find its old epochs. */
  readonly owner?: string;
  readonly expiryMs?: number | undefined;
}

/** Keeps leases as rows of a table. A key without a row gets one. */
export function leaseTable<K extends number | string>(options: LeaseTableOptions): LeaseTable<K> {
  const { pool, table, key, keyType, owner = randomUUID() } = options;
  const { expiryMs = LEASE.expiryMs } = options;
  // An update alone locks rows in no particular order, and could deadlock with `hold`.
  const free = (mine: string) => `
    update ${table} set owner = null where ${key} in (${mine} order by ${key} for update)`;

  return {
    async hold(keys) {
      if (keys.length === 0) return [];
      // Rows are locked in the order of the keys, so that two owners that want the same keys never deadlock. An own
      // lease that ran out keeps its epoch: nobody took it, so results of ours may still be written.
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
