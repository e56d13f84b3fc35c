import { AppError } from '@junction/errors';
import type pg from 'pg';
import { keepReadersFromBeginning } from './projections/archived-events.js';
import { CATEGORY } from './read-all.js';
import { inTransaction } from './transaction.js';

/** As create_events_partition has it. */
const PARTITION_SIZE = 10_000_000n;
const LOCK_WAIT = '5s';
const OPEN_SHOWN = 10;

export interface ArchiveOptions {
  /**
   * The event types that end a stream for ever, for instance `webhook.deleted`. A stream whose last event
   * is one of them is closed: nobody will load it to decide anything.
   */
  readonly closing: readonly string[];
  /** Aggregates that nobody loads to decide anything: their streams are closed whatever they end with. */
  readonly neverLoaded: readonly string[];
  /**
   * `StateCodec.shape` of the snapshots, by aggregate. One of another shape covers nothing: it is not
   * read any more.
   */
  readonly shapes: Readonly<Record<string, number>>;
  /** The names of the service's asynchronous projections, which must have read what is archived. */
  readonly asynchronous: readonly string[];
}

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
  const partition = nameOf(n);
  await inTransaction(pool, async (tx) => {
    await tx.query(`set local statement_timeout = 0; set local lock_timeout = '${LOCK_WAIT}'`);
    await refuseUnlessFull(tx, n);
    await refuseOpenStreams(tx, partition, options);
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
  const partition = nameOf(n);
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

/** Also keeps everything but a number out of the statements that name a table. */
function nameOf(n: number): string {
  if (Number.isSafeInteger(n) && n >= 0) return `events_p${n}`;
  throw new RangeError(`${n} is no partition: they are counted from 0.`);
}

async function schemaOf(tx: pg.ClientBase): Promise<string> {
  const { rows } = await tx.query<{ schema: string }>(
    `select quote_ident(nspname) as schema from pg_class c join pg_namespace s on s.oid = relnamespace
      where c.oid = 'events'::regclass`,
  );
  return rows[0]?.schema ?? 'public';
}

async function refuseUnlessFull(tx: pg.ClientBase, n: number): Promise<void> {
  const { rows } = await tx.query<{ is_there: boolean; written: string }>(
    `select exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
                     where i.inhparent = 'events'::regclass and c.relname = $1) as is_there,
            coalesce(pg_sequence_last_value(pg_get_serial_sequence('events', 'position')::regclass), 0)
              / ${PARTITION_SIZE} as written`,
    [nameOf(n)],
  );
  const { is_there: isThere = false, written = '0' } = rows[0] ?? {};
  if (!isThere) throw refused('no_partition', `There is no partition ${n} of the events.`);
  if (BigInt(n) < BigInt(written)) return;
  throw refused('partition_in_use', `Partition ${n} is still being written, or will be.`);
}

async function refuseOpenStreams(
  tx: pg.ClientBase,
  partition: string,
  { closing, neverLoaded, shapes }: ArchiveOptions,
): Promise<void> {
  const { rows } = await tx.query<{ stream_id: string; count: string }>(
    `select stream_id, count(*) over () as count
       from (select stream_id, max(version) as last from ${partition}
              where ${CATEGORY} <> all ($2::text[]) group by stream_id) p
       join streams s using (stream_id)
      where not exists (select from snapshots n where n.stream_id = p.stream_id and n.version >= p.last
                           and n.schema_version = ($3::jsonb -> split_part(p.stream_id, '-', 1))::int)
        and not exists (select from events e where e.stream_id = p.stream_id and e.version = s.version
                           and e.type = any($1::text[]))
      order by stream_id limit ${OPEN_SHOWN}`,
    [closing, neverLoaded, JSON.stringify(shapes)],
  );
  const [first] = rows;
  if (!first) return;
  const names = rows.map(({ stream_id: id }) => id).join(', ');
  throw refused(
    'partition_has_open_streams',
    `${first.count} streams with events in it are neither closed nor covered by a later snapshot ` +
      `of today's shape: ` +
      `${names}${Number(first.count) > OPEN_SHOWN ? ' …' : '.'}`,
  );
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

const refused = (code: string, message: string) => new AppError('conflict', code, message);
