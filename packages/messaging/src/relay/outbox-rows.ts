import type { Held } from '@junction/eventsourcing/leases';
import type pg from 'pg';

/** Lanes of the outbox; the column is computed from the key when a row is inserted. */
export const LANES = 16;

export const ROWS_MAX = 500;

/**
 * Maximum bytes of a batch of one lane. A broker takes 1 MB for each partition of a request (message.max.bytes), and
 * one row may be a good 256 KB longer than this.
 */
const BYTES_MAX = 512 * 1024;

export interface OutboxRow {
  /** A bigint, as text. */
  readonly id: string;
  readonly lane: number;
  readonly topic: string;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer;
}

/**
 * Returns the oldest rows of each of these lanes, in order. The lane is part of the order and compared with a list of
 * one, because after a plain `lane = n` the planner may walk the primary key, past the rows of all other lanes, instead
 * of the index on (lane, id).
 */
export async function readOutbox(
  db: pg.Pool | pg.ClientBase,
  lanes: readonly number[],
): Promise<readonly OutboxRow[]> {
  const { rows } = await db.query<OutboxRow>({
    name: 'junction_outbox_read',
    text: `
      select r.id, r.lane, r.topic, r.key, r.headers, r.payload
        from unnest($1::smallint[]) as wanted (lane)
       cross join lateral (
         select id, o.lane, aggregatetype as topic, aggregateid as key, headers, payload,
                sum(octet_length(payload)) over (order by o.lane, id) - octet_length(payload) as bytes_before
           from outbox o
          where o.lane = any (array[wanted.lane])
          order by o.lane, id
          limit $2
       ) r
       where r.bytes_before < $3
       order by r.lane, r.id`,
    values: [lanes, ROWS_MAX, BYTES_MAX],
  });
  return rows;
}

/** Returns whether a limit may have cut this batch of one lane. */
export const mayHaveMore = (rows: readonly OutboxRow[]): boolean =>
  rows.length === ROWS_MAX ||
  rows.reduce((bytes, { payload }) => bytes + payload.length, 0) >= BYTES_MAX;

/**
 * Deletes rows that Kafka has, and returns those of their lanes that are still held. Nothing is deleted of a lane that
 * has gone to another epoch: its new owner sends these rows again, and consumers drop the duplicates. The same happens
 * after a crash of the server, so the commit does not wait for the disk.
 */
export async function deleteSent(
  pool: pg.Pool,
  me: string,
  leases: readonly Held<number>[],
  ids: readonly string[],
): Promise<ReadonlySet<number>> {
  const { rows } = await pool.query<{ lane: number }>({
    name: 'junction_outbox_delete_sent',
    text: `
      with held as (
        select lane from relay_leases
          join unnest($2::smallint[], $3::bigint[]) as ours (lane, epoch) using (lane, epoch)
         where owner = $4
      ), deleted as (
        delete from outbox where id = any ($1::bigint[]) and lane in (select lane from held)
      )
      select lane, set_config('synchronous_commit', 'off', true) from held`,
    values: [ids, leases.map(({ key }) => key), leases.map(({ epoch }) => epoch), me],
  });
  return new Set(rows.map(({ lane }) => lane));
}
