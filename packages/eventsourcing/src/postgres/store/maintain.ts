import type pg from 'pg';
import { inTransaction } from '../transaction.js';

const PARTITIONS_AHEAD = 2;
const COMMANDS_KEPT_DAYS = 30;
const COMMANDS_A_TIME = 10_000;

/** Result of one round of maintenance. */
export interface Maintained {
  /** Names of the partitions that were made. */
  readonly partitions: readonly string[];
  /** Number of command ids that were purged. */
  readonly commands: number;
}

/**
 * Maintains the event store: makes partitions of ten million events two ahead, and purges command ids that are older
 * than 30 days. Any number of replicas may call it at any time. Call it at least as often as ten million events are
 * appended: there is no default partition, so appends fail without a next one.
 */
export async function maintainEventStore(pool: pg.Pool): Promise<Maintained> {
  const partitions = await makeEventPartitions(pool);
  return { partitions, commands: await purgeCommands(pool) };
}

/** Makes partitions and returns their names. */
async function makeEventPartitions(pool: pg.Pool): Promise<readonly string[]> {
  // A separate transaction holds the lock by which replicas take turns.
  const { rows } = await inTransaction(pool, (tx) =>
    tx.query<{ name: string }>('select make_events_partitions($1) as name', [PARTITIONS_AHEAD]),
  );
  return rows.map(({ name }) => name);
}

const PURGE = `
delete from commands where ctid = any (array(
  select ctid from commands where at < now() - make_interval(days => $1) limit $2))`;

/**
 * Purges in small portions, so that no transaction is open for long: an open one would hold up the readers of events.
 */
async function purgeCommands(pool: pg.Pool): Promise<number> {
  for (let purged = 0; ; ) {
    const { rowCount } = await pool.query(PURGE, [COMMANDS_KEPT_DAYS, COMMANDS_A_TIME]);
    purged += rowCount ?? 0;
    if ((rowCount ?? 0) < COMMANDS_A_TIME) return purged;
  }
}
