import type pg from 'pg';
import { inTransaction } from '../transaction.js';

const PROBLEMS_MAX = 100;

/** A problem of one stream. */
export interface StreamProblem {
  readonly streamId: string;
  readonly problem:
    | 'version_twice'
    | 'version_missing'
    | 'head_differs'
    | 'head_missing'
    | 'order_differs';
  /** Finding in words, for an operator. */
  readonly detail: string;
}

export interface Verified {
  readonly streams: number;
  readonly events: number;
  /** Problems found, at most 100. */
  readonly problems: readonly StreamProblem[];
}

const PROBLEMS = `
with found as (
  select stream_id, count(*) as events, count(distinct version) as versions,
         min(version) as first, max(version) as last
    from events group by stream_id
), disordered as (
  select distinct stream_id from (
    select stream_id, tx < lag(tx) over stream or position < lag(position) over stream as is_back
      from events window stream as (partition by stream_id order by version)) o
   where is_back
)
select stream_id as "streamId", problem, detail
  from found full join streams using (stream_id) left join disordered d using (stream_id)
 cross join lateral (values
   ('version_twice', events > versions, format('%s events share %s versions', events, versions)),
   ('version_missing', first <> 1 or versions < last,
     format('%s of the versions 1 to %s', versions, last)),
   ('head_missing', version is null, format('%s events and no head row', events)),
   ('head_differs', version <> coalesce(last, 0),
     format('the head row says %s, the last event %s', version, coalesce(last, 0))),
   ('order_differs', d.stream_id is not null, 'readers meet its events in another order than their versions')
 ) as checks (problem, is_so, detail)
 where is_so
 order by stream_id, problem
 limit ${PROBLEMS_MAX}`;

/**
 * Checks what the indexes of single partitions cannot: over all partitions each version of a stream exists once and
 * without a gap, the head row agrees, and readers meet the events in the order of the versions. Reads every event from
 * one snapshot; appends go on meanwhile.
 */
export async function verifyStreams(pool: pg.Pool): Promise<Verified> {
  return inTransaction(pool, async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    await tx.query('set local statement_timeout = 0');
    const { rows: problems } = await tx.query<StreamProblem>(PROBLEMS);
    const { rows } = await tx.query<{ streams: string; events: string }>(
      'select (select count(*) from streams) as streams, (select count(*) from events) as events',
    );
    return { streams: Number(rows[0]?.streams), events: Number(rows[0]?.events), problems };
  });
}
