import type pg from 'pg';

/** As everywhere: renewed every 2 s, taken over when that failed to happen for 6 s. */
export const LEASE = { renewMs: 2_000, expiryMs: 6_000 } as const;

export interface LeaseTimes {
  readonly renewMs: number;
  readonly expiryMs: number;
}

export interface Renewal {
  /** The tasks held now, each with the epoch of its lease. */
  readonly held: ReadonlyMap<string, bigint>;
  /** When the first lease of the others runs out, unless it is renewed; Infinity without any. */
  readonly othersExpireInMs: number;
}

export interface Leases {
  /** Renews what is held and takes what is free. The database's clock decides what has run out. */
  renew(): Promise<Renewal>;
  /** Free at once for whoever looks next. */
  release(): Promise<void>;
}

/** The right to work at these tasks. `owner` must be new for each process and each rebuild. */
export const projectionLeases = (
  pool: pg.Pool,
  owner: string,
  tasks: readonly string[],
  expiryMs: number,
): Leases => ({
  async renew() {
    const taken = await pool.query<{ task: string; epoch: string }>(RENEW, [
      tasks.toSorted(),
      owner,
      expiryMs,
    ]);
    const held = new Map(taken.rows.map(({ task, epoch }) => [task, BigInt(epoch)]));
    if (held.size === tasks.length) return { held, othersExpireInMs: Number.POSITIVE_INFINITY };

    const { rows } = await pool.query<{ ms: number | null }>(NEXT_EXPIRY, [tasks, owner]);
    return { held, othersExpireInMs: Math.max(0, rows[0]?.ms ?? 0) };
  },

  async release() {
    await pool.query(
      'update projection_leases set expires_at = now() where owner = $1 and task = any ($2)',
      [owner, tasks],
    );
  },
});

// In one order, so that two who renew cannot deadlock. Who holds nothing writes nothing.
const RENEW = `
insert into projection_leases as l (task, owner, epoch, expires_at)
select task, $2, 1, now() + $3 * interval '1 ms' from unnest($1::text[]) as task
 where not exists (select from projection_leases o
                    where o.task = task.task and o.owner <> $2 and o.expires_at > now())
 order by task
on conflict (task) do update
   set owner = excluded.owner, expires_at = excluded.expires_at,
       epoch = l.epoch + case when l.owner = excluded.owner then 0 else 1 end
 where l.owner = excluded.owner or l.expires_at <= now()
returning task, epoch`;

const NEXT_EXPIRY = `
select extract(epoch from min(expires_at) - now())::float8 * 1000 as ms
  from projection_leases where task = any ($1) and owner <> $2 and expires_at > now()`;
