import type pg from 'pg';
import { inTransaction } from '../transaction.js';

/**
 * Error of events that were restored into a cluster that counts its transactions from a lower number: new events would
 * be read before the restored ones, and the restored ones not at all.
 */
export class RestoreUnfinishedError extends Error {
  constructor(
    stored: bigint,
    /** Number of the cluster's next transaction. */
    readonly next: bigint,
  ) {
    super(
      `The events were written up to transaction ${stored}, but this Postgres cluster has come to ` +
        `${next} only, as after a restore from a dump. Run this service once with "finish-restore" ` +
        'before it starts: until then its events can be neither read nor appended in order.',
    );
    this.name = new.target.name;
  }
}

const AHEAD = `
select (select tx from events order by tx desc, position desc limit 1)::text as stored,
       pg_snapshot_xmax(pg_current_snapshot())::text as next`;

async function aheadOf(db: pg.Pool | pg.ClientBase): Promise<RestoreUnfinishedError | undefined> {
  const { rows } = await db.query<{ stored: string | null; next: string }>(AHEAD);
  const [stored, next] = [BigInt(rows[0]?.stored ?? 0), BigInt(rows[0]?.next ?? 0)];
  return stored < next ? undefined : new RestoreUnfinishedError(stored, next);
}

/** Throws RestoreUnfinishedError while stored transactions are ahead of the cluster's. For the start of a service. */
export async function refuseUnfinishedRestore(pool: pg.Pool): Promise<void> {
  const error = await aheadOf(pool);
  if (error) throw error;
}

const RUN_BEGINS = 'coalesce(position < lag(position) over (order by tx, position), true)::int';

/**
 * Returns SQL that uses up transaction numbers: each round of its block is a transaction of its own, which takes the
 * next number.
 */
const useUp = (count: bigint): string =>
  `do $$ begin for n in 1 .. ${count} loop perform pg_current_xact_id(); commit; end loop; end $$`;

const REBASE = `
create temporary table rebased on commit drop as
select position, tx as old_tx, sum(begins) over (order by tx, position)::text::xid8 as tx
  from (select position, tx, ${RUN_BEGINS} as begins from events) e;
create index on rebased (old_tx, position);

alter table events disable trigger user;
update events e set tx = r.tx from rebased r where r.position = e.position;
alter table events enable trigger user;

update streams set last_tx = (select max(tx) from rebased);

update projection_checkpoints c set tx = coalesce(
  (select r.tx from rebased r where (r.old_tx, r.position) <= (c.tx, c.position)
    order by r.old_tx desc, r.position desc limit 1), '0')`;

/**
 * Renumbers the stored transactions below those of this cluster and in the same order, so that readers go on where they
 * stood. For a restore from a dump, while the service is stopped. Rewrites every event once; does nothing without need.
 * Returns whether it did anything.
 *
 * Events in reading order form runs of rising positions, one or few of them. The events of a run may have one number:
 * among equal numbers positions decide. So the new numbers are 1, 2, 3 …
 */
export async function finishRestore(pool: pg.Pool): Promise<boolean> {
  const ahead = await aheadOf(pool);
  if (ahead === undefined) return false;

  const { rows } = await pool.query<{ runs: string }>(
    `select sum(begins) as runs
       from (select ${RUN_BEGINS} as begins from events) e`,
  );
  const lacking = BigInt(rows[0]?.runs ?? 0) + 1n - ahead.next;
  if (lacking > 0n) await pool.query(useUp(lacking));

  return inTransaction(pool, async (tx) => {
    await tx.query(`set local statement_timeout = 0; set local lock_timeout = '10s'`);
    await tx.query('lock table streams, events, projection_checkpoints in access exclusive mode');
    await tx.query(REBASE);
    const still = await aheadOf(tx);
    if (still) throw still;
    return true;
  });
}
