import type pg from 'pg';
import {
  type ArchiveOptions,
  PARTITION_SIZE,
  refused,
  refuseOpenStreams,
  refuseUnlessFull,
  tableOf,
} from './open-streams.js';
import { keepReadersFromBeginning } from './projections/archived-events.js';
import { inTransaction } from './transaction.js';

const LOCK_WAIT = '5s';

/**
 * Takes the nth partition of the events (ten million positions each) out of reading. Its table is then
 * `archived_events.events_pN`, to be dumped and dropped, or attached again. Every stream with events in
 * it must be closed, or have a snapshot of today's shape that is later than all of them, and every
 * asynchronous projection and every rebuild under way must have read it; otherwise this refuses and says
 * which stand in the way. A stream that needs what was archived refuses to load: attach it before code
 * comes that gives its state another shape.
 */
export async function archivePartition(
  pool: pg.Pool,
  n: number,
  options: ArchiveOptions,
): Promise<void> {
  const partition = tableOf(n);
  await inTransaction(pool, async (tx) => {
    await tx.query(`set local statement_timeout = 0; set local lock_timeout = '${LOCK_WAIT}'`);
    await refuseUnlessFull(tx, n);
    await refuseOpenStreams(tx, n, options);
    await keepReadersFromBeginning(tx);
    await refuseUnread(tx, partition, options.asynchronous);
    await tx.query(`
      create schema if not exists archived_events;
      alter table events detach partition ${partition};
      alter table ${partition} set schema archived_events`);
    await tx.query('insert into archived_partitions (n) values ($1)', [n]);
  });
}

/**
 * Puts an archived partition back, from the table `archived_events.events_pN`.
 * @throws AppError `events_ahead` when its events were numbered by another Postgres cluster.
 */
export async function attachPartition(pool: pg.Pool, n: number): Promise<void> {
  const partition = tableOf(n);
  await inTransaction(pool, async (tx) => {
    await tx.query(`set local statement_timeout = 0; set local lock_timeout = '${LOCK_WAIT}'`);
    const { rows } = await tx.query<{ is_there: boolean }>(
      'select to_regclass($1) is not null as is_there',
      [`archived_events.${partition}`],
    );
    if (rows[0]?.is_there !== true) {
      throw refused('not_archived', `There is no table archived_events.${partition} to attach.`);
    }
    await refuseEventsAhead(tx, `archived_events.${partition}`);
    const [from, to] = [n, n + 1].map((edge) => BigInt(edge) * PARTITION_SIZE);
    await tx.query(`
      alter table archived_events.${partition} set schema ${await schemaOf(tx)};
      alter table events attach partition ${partition} for values from (${from}) to (${to})`);
    await tx.query('delete from archived_partitions where n = $1', [n]);
  });
}

async function refuseEventsAhead(tx: pg.ClientBase, table: string): Promise<void> {
  const { rows } = await tx.query<{ ahead: boolean | null }>(
    `select max(tx) >= pg_snapshot_xmax(pg_current_snapshot()) as ahead from ${table}`,
  );
  if (rows[0]?.ahead !== true) return;
  throw refused(
    'events_ahead',
    `The events in ${table} have transaction numbers that this Postgres cluster has not come to: they ` +
      'would not be read in order. Restore the database together with this table, run the service once ' +
      'with "finish-restore", which numbers both anew, and attach it then.',
  );
}

async function schemaOf(tx: pg.ClientBase): Promise<string> {
  const { rows } = await tx.query<{ schema: string }>(
    `select quote_ident(nspname) as schema from pg_class c join pg_namespace s on s.oid = relnamespace
      where c.oid = 'events'::regclass`,
  );
  return rows[0]?.schema ?? 'public';
}

// The live version of an inline projection reads nothing: its checkpoint says where a rebuild left it.
const UNREAD = `
with reader as (
  select name, version, tx, position from projection_checkpoints
   where not live or name = any ($1::text[])
  union all
  select name, 1, '0'::xid8, 0 from unnest($1::text[]) as name
   where not exists (select from projection_checkpoints c where c.name = name.name and c.live)
)
select name, version from reader`;

async function refuseUnread(
  tx: pg.ClientBase,
  partition: string,
  asynchronous: readonly string[],
): Promise<void> {
  const { rows } = await tx.query<{ name: string; version: number }>(
    `${UNREAD}
      where (tx, position) < (select e.tx, e.position from ${partition} e
                               order by e.tx desc, e.position desc limit 1)
      order by name, version`,
    [asynchronous],
  );
  if (rows.length === 0) return;
  const names = rows.map(({ name, version }) => `${name} (version ${version})`).join(', ');
  throw refused('partition_unread', `Projections have not read all of it yet: ${names}.`);
}
