import type pg from 'pg';
import {
  type Opening,
  PARTITION_SIZE,
  refused,
  refuseOpenStreams,
  refuseUnlessFull,
  tableOf,
} from './open-streams.js';
import { keepReadersFromBeginning } from './projections/archived-events.js';
import { CATEGORY } from './read-all.js';
import { inTransaction } from './transaction.js';

const LOCK_WAIT = '5s';

export interface ArchiveOptions extends Opening {
  /** The service's: asynchronous ones, and rebuilds of any, must have read what is archived. */
  readonly projections: {
    readonly inline: readonly Reader[];
    readonly asynchronous: readonly Reader[];
  };
}

interface Reader {
  /** Its name. */
  readonly table: string;
  /** The one of which it reads the streams; undefined: it reads all. */
  readonly aggregate: string | undefined;
}

/**
 * Takes the nth partition of the events (ten million positions each) out of reading. Its table is then
 * `archived_events.events_pN`, to be dumped and dropped, or attached again. Every stream with events in
 * it must be closed, or have a snapshot of today's shape that is later than all of them, and every
 * asynchronous projection and every rebuild under way must have read what it reads of it; otherwise this
 * refuses and says which stand in the way. A stream that needs what was archived refuses to load: attach
 * it before code comes that gives its state another shape.
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
    // It is full, but not all of it may be committed: whoever still writes into it ends first.
    await tx.query(`lock table ${partition} in share mode`);
    await refuseOpenStreams(tx, n, options);
    await keepReadersFromBeginning(tx);
    await refuseUnread(tx, partition, options.projections);
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

// The live version of an inline projection reads nothing: its checkpoint says where a rebuild left it. One that the
// service does not know any more may have read anything.
const READERS = `
with known as (
  select * from unnest($1::text[], $2::text[], $3::boolean[]) as k (name, aggregate, is_asynchronous)
), reader as (
  select c.name, c.version, c.tx, c.position, k.aggregate
    from projection_checkpoints c left join known k using (name)
   where not c.live or k.is_asynchronous
  union all
  select name, 1, '0'::xid8, 0, aggregate from known k
   where is_asynchronous
     and not exists (select from projection_checkpoints c where c.name = k.name and c.live)
)
select name, version from reader r`;

/** Refuses while a reader has events of its own before it. Those of others it will never look at. */
async function refuseUnread(
  tx: pg.ClientBase,
  partition: string,
  { inline, asynchronous }: ArchiveOptions['projections'],
): Promise<void> {
  const known = [...inline, ...asynchronous];
  const { rows } = await tx.query<{ name: string; version: number }>(
    `${READERS}
      where case when aggregate is null
        then exists (select from ${partition} e where (e.tx, e.position) > (r.tx, r.position))
        else exists (select from ${partition} e
                      where ${CATEGORY} = r.aggregate and (e.tx, e.position) > (r.tx, r.position))
      end
      order by name, version`,
    [
      known.map(({ table }) => table),
      known.map(({ aggregate }) => aggregate),
      known.map((_, index) => index >= inline.length),
    ],
  );
  if (rows.length === 0) return;
  const names = rows.map(({ name, version }) => `${name} (version ${version})`).join(', ');
  throw refused('partition_unread', `Projections have not read all of it yet: ${names}.`);
}
