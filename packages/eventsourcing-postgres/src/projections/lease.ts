import { randomUUID } from 'node:crypto';
import type pg from 'pg';

/** As everywhere: renewed every 2 s, taken over when that failed to happen for 6 s. */
export const LEASE = { renewMs: 2_000, expiryMs: 6_000 } as const;

export interface LeaseTimes {
  readonly renewMs: number;
  readonly expiryMs: number;
}

export interface Lease {
  /** Takes or renews it, and gives its epoch; undefined: another holds it. */
  renew(): Promise<bigint | undefined>;
  /** Free at once for whoever looks next. */
  release(): Promise<void>;
}

/** The right to rebuild this projection, or to delete its rebuild. The database's clock decides. */
export function rebuildLease(pool: pg.Pool, name: string, expiryMs: number): Lease {
  const owner = randomUUID();
  return {
    async renew() {
      const { rows } = await pool.query<{ epoch: string }>(RENEW, [name, owner, expiryMs]);
      return rows[0] && BigInt(rows[0].epoch);
    },

    async release() {
      await pool.query(
        'update projection_leases set expires_at = now() where owner = $1 and name = $2',
        [owner, name],
      );
    },
  };
}

const RENEW = `
insert into projection_leases as l (name, owner, epoch, expires_at)
values ($1, $2, 1, now() + $3 * interval '1 ms')
on conflict (name) do update
   set owner = excluded.owner, expires_at = excluded.expires_at,
       epoch = l.epoch + case when l.owner = excluded.owner then 0 else 1 end
 where l.owner = excluded.owner or l.expires_at <= now()
returning epoch`;
