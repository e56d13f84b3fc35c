import type pg from 'pg';
import { inTransaction } from '../transaction.js';

const PARTITIONS_AHEAD = 2;
const COMMANDS_KEPT_DAYS = 30;
const COMMANDS_A_TIME = 10_000;

/** What one round of maintenance did. */
export interface Maintained {
  /** The names of the partitions it made. */
  readonly partitions: readonly string[];
  /** How many command ids it purged. */
  readonly commands: number;
}

/**
 * Maintenance of the event store: partitions of ten million events are made two ahead, and command ids
 * older than 30 days are purged. Any number of replicas may do it at any time. Call it at least as
 * often as ten million events take to come: there is no default partition, so without a next one appends
 * fail.
 */
export async function maintainEventStore(pool: pg.Pool): Promise<Maintained> {
  const partitions = await makeEventPartitions(pool);
  return { partitions, commands: await purgeCommands(pool) };
}

/** Gives the names of those it made. */
async function makeEventPartitions(pool: pg.Pool): Promise<readonly string[]> {
  // In a transaction of its own, which holds the lock that replicas take turns by.
  const { rows } = await inTransaction(pool, (tx) =>
    tx.query<{ name: string }>('select make_events_partitions($1) as name', [PARTITIONS_AHEAD]),
  );
  return rows.map(({ name }) => name);
}

const PURGE = `
delete from commands where ctid = any (array(
  select ctid from commands where at < now() - make_interval(days => $1) limit $2))`;

/** In bites, so that no transaction is open for long: it would hold the readers of events up. */
async function purgeCommands(pool: pg.Pool): Promise<number> {
  for (let purged = 0; ; ) {
    const { rowCount } = await pool.query(PURGE, [COMMANDS_KEPT_DAYS, COMMANDS_A_TIME]);
    purged += rowCount ?? 0;
    if ((rowCount ?? 0) < COMMANDS_A_TIME) return purged;
  }
}
