import { AppError } from '@junction/errors';
import type { Queryable } from './queryable.js';
import { CATEGORY } from './read-all.js';

/** As create_events_partition has it. */
export const PARTITION_SIZE = 10_000_000n;
const OPEN_SHOWN = 10;

/** What makes a stream one that nobody will load from its events. */
export interface Opening {
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
}

/** The nth partition. Also keeps everything but a number out of the statements that name it. */
export function tableOf(n: number): string {
  if (Number.isSafeInteger(n) && n >= 0) return `events_p${n}`;
  throw new RangeError(`${n} is no partition: they are counted from 0.`);
}

/** Refuses a partition that is not there, or that events still come into. */
export async function refuseUnlessFull(db: Queryable, n: number): Promise<void> {
  const { rows } = await db.query<{ is_there: boolean; written: string }>({
    text: `
      select exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
                      where i.inhparent = 'events'::regclass and c.relname = $1) as is_there,
             coalesce(pg_sequence_last_value(pg_get_serial_sequence('events', 'position')::regclass), 0)
               / ${PARTITION_SIZE} as written`,
    values: [tableOf(n)],
  });
  const { is_there: isThere = false, written = '0' } = rows[0] ?? {};
  if (!isThere) throw refused('no_partition', `There is no partition ${n} of the events.`);
  if (BigInt(n) < BigInt(written)) return;
  throw refused('partition_in_use', `Partition ${n} is still being written, or will be.`);
}

/**
 * Whether a stream, `s`, whose last version in the partition is `p.last`, is neither closed nor covered by
 * a later snapshot. Its values are `openStreamsValues`.
 */
export const IS_OPEN = `(
  split_part(p.stream_id, '-', 1) <> all ($2::text[])
  and not exists (select from snapshots n where n.stream_id = p.stream_id and n.version >= p.last
                     and n.schema_version = ($3::jsonb -> split_part(p.stream_id, '-', 1))::int)
  and not exists (select from events e where e.stream_id = p.stream_id and e.version = s.version
                     and e.type = any($1::text[])))`;

export const openStreamsValues = ({
  closing,
  neverLoaded,
  shapes,
}: Opening): readonly unknown[] => [closing, neverLoaded, JSON.stringify(shapes)];

const openStreamsOf = (n: number): string => `
  from (select stream_id, max(version) as last from ${tableOf(n)}
         where ${CATEGORY} <> all ($2::text[]) group by stream_id) p
  join streams s using (stream_id)
 where ${IS_OPEN}`;

/** How many streams of the partition stand in the way of its archive. */
export async function countOpenStreams(
  db: Queryable,
  n: number,
  options: Opening,
): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    text: `select count(*)::int as count ${openStreamsOf(n)}`,
    values: [...openStreamsValues(options)],
  });
  return rows[0]?.count ?? 0;
}

/** Refuses a partition whose streams somebody may still load from its events. */
export async function refuseOpenStreams(db: Queryable, n: number, options: Opening): Promise<void> {
  const { rows } = await db.query<{ stream_id: string; count: string }>({
    text: `select p.stream_id, count(*) over () as count ${openStreamsOf(n)}
            order by p.stream_id limit ${OPEN_SHOWN}`,
    values: [...openStreamsValues(options)],
  });
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

export const refused = (code: string, message: string): AppError =>
  new AppError('conflict', code, message);
