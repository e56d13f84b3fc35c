import type pg from 'pg';
import { laneShares } from './lane-shares.js';

/** A lane that is ours for as long as its row still says this epoch. */
export interface HeldLane {
  readonly lane: number;
  readonly epoch: bigint;
}

export interface Renewal {
  readonly held: readonly HeldLane[];
  readonly surplus: readonly number[];
  /** When the first lease of the others runs out, unless it is renewed; Infinity without any. */
  readonly othersExpireInMs: number;
}

export interface LeaseTable {
  /**
   * Renews what is held, and says which lanes those are, which of them are beyond our share, and
   * which were taken just now. The database's clock decides what has run out.
   */
  renew(): Promise<Renewal>;
  /** Free at once for whoever looks next. */
  release(lanes: readonly number[]): Promise<void>;
  /** Leaves: gives up everything, and no longer counts when lanes are shared. */
  leave(): Promise<void>;
}

/** `me` must be new for each process: an owner that comes back would find its old epochs. */
export const leaseTable = (pool: pg.Pool, me: string, expiryMs: number): LeaseTable => ({
  async renew() {
    const { owners, leases } = await renew(pool, me, expiryMs);
    const { surplus, wanted } = laneShares(
      me,
      owners,
      leases.map(({ lane, holder }) => ({ lane, holder: holder ?? undefined })),
    );
    const taken = wanted.length === 0 ? [] : await take(pool, me, expiryMs, wanted);
    const others = leases.filter(({ holder }) => holder !== null && holder !== me);
    return {
      held: [...leases.filter(isRenewed), ...taken].map(heldLane),
      surplus,
      othersExpireInMs: Math.min(...others.map(({ ms }) => ms)),
    };
  },

  async release(lanes) {
    await pool.query(
      'update relay_leases set owner = null, expires_at = null where owner = $1 and lane = any ($2)',
      [me, lanes],
    );
  },

  async leave() {
    await pool.query(
      `with left_behind as (
         update relay_leases set owner = null, expires_at = null where owner = $1
       )
       delete from relay_owners where owner = $1`,
      [me],
    );
  },
});

interface LeaseRow {
  readonly lane: number;
  readonly epoch: string;
}

const heldLane = ({ lane, epoch }: LeaseRow): HeldLane => ({ lane, epoch: BigInt(epoch) });

/** A lane as it is after the renewal. */
interface LaneRow {
  readonly lane: number;
  /** Of a lease that was renewed. */
  readonly epoch: string | null;
  readonly holder: string | null;
  readonly ms: number;
}

const isRenewed = (row: LaneRow): row is LaneRow & LeaseRow => row.epoch !== null;

/** Says that we are alive, renews what is ours, and gives who else is alive and what they hold. */
async function renew(
  pool: pg.Pool,
  me: string,
  expiryMs: number,
): Promise<{ owners: readonly string[]; leases: readonly LaneRow[] }> {
  const { rows } = await pool.query<LaneRow & { owners: readonly string[] }>({
    name: 'junction_relay_renew',
    text: `
      with gone as (
        delete from relay_owners where expires_at < now() and owner <> $1
      ), here as (
        insert into relay_owners (owner, expires_at) values ($1, now() + $2 * interval '1 ms')
        on conflict (owner) do update set expires_at = excluded.expires_at
      ), renewed as (
        update relay_leases set expires_at = now() + $2 * interval '1 ms'
         where owner = $1
        returning lane, epoch
      )
      select lane, r.epoch,
             case when r.epoch is not null then $1
                  when owner <> $1 and expires_at > now() then owner end as holder,
             coalesce(extract(epoch from expires_at - now()) * 1000, 0)::float8 as ms,
             array(select owner from relay_owners where expires_at > now()) as owners
        from relay_leases left join renewed r using (lane) order by lane`,
    values: [me, expiryMs],
  });
  return { owners: rows[0]?.owners ?? [], leases: rows };
}

/** Two that want the same lane meet at its row: the second finds it taken. */
async function take(
  pool: pg.Pool,
  me: string,
  expiryMs: number,
  lanes: readonly number[],
): Promise<readonly LeaseRow[]> {
  const { rows } = await pool.query<LeaseRow>(
    `update relay_leases
        set owner = $1, epoch = epoch + 1, expires_at = now() + $2 * interval '1 ms'
      where lane = any ($3) and (owner is null or expires_at <= now())
     returning lane, epoch`,
    [me, expiryMs, lanes],
  );
  return rows;
}
