import type { Queryable } from './queryable.js';

/** Ten million positions of the events. */
export interface PartitionState {
  readonly n: number;
  /** `archived`: detached; its events are not read. */
  readonly state: 'attached' | 'archived';
  /** Estimated from the last vacuum; 0 for an archived one. */
  readonly events: number;
  /** With its indexes; 0 for an archived one. */
  readonly bytes: number;
}

const PARTITIONS = `
select substring(c.relname from '\\d+$')::int as n, 'attached' as state,
       greatest(c.reltuples, 0)::float8 as events, pg_total_relation_size(c.oid)::float8 as bytes
  from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'events'::regclass
union all
select n, 'archived', 0, 0 from archived_partitions
order by n`;

/** The partitions of the events, also those that were archived and not attached again. */
export async function listPartitions(db: Queryable): Promise<readonly PartitionState[]> {
  const { rows } = await db.query<PartitionState & object>({ text: PARTITIONS });
  return rows;
}
