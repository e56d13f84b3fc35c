import type pg from 'pg';
import { statement } from '../statement.js';

export interface Retention {
  /** Deliveries, their attempts and outcomes, statistics and operations. */
  readonly days: number;
  /** Days for which an event is recognized when it comes again, and can be looked up. */
  readonly seenEventDays: number;
}

/** Any number, as long as every replica asks for the same one. */
const DROPPING_PARTITIONS = 7_035_201_994;

/**
 * Drops the days that are over, and gives the names of the tables that went. One replica at a time; the
 * others skip their turn. A day on which something still waits to be sent stays, whole, until that has ended.
 *
 * Each partition is detached concurrently first: dropping it at once would lock its parent, and
 * with it every delivery, for as long as the longest query on it takes. Stopped at any point, the next
 * turn goes on from there.
 */
export async function purgePartitions(
  maintenance: pg.Pool,
  retention: Retention,
): Promise<readonly string[]> {
  const client = await maintenance.connect();
  // Unheard, the loss of a connection would end the process; the query under way reports it.
  const unheard = () => undefined;
  client.on('error', unheard);
  let isBroken = true;
  try {
    const { rows } = await client.query<{ ours: boolean }>(
      `select pg_try_advisory_lock(${DROPPING_PARTITIONS}) as ours`,
    );
    const dropped = rows[0]?.ours === true ? await dropAll(client, retention) : [];
    await client.query('select pg_advisory_unlock_all()');
    isBroken = false;
    return dropped;
  } finally {
    client.off('error', unheard);
    // A session that failed may still hold the lock: it ends with the connection.
    client.release(isBroken);
  }
}

async function dropAll(client: pg.ClientBase, retention: Retention): Promise<readonly string[]> {
  const dropped: string[] = [];
  const { days, seenEventDays } = retention;
  const { rows } = await oldPartitions(client, { days, seen_event_days: seenEventDays });
  for (const { name, parent, state } of rows) {
    if (state === 'attached') {
      await client.query(`alter table ${parent} detach partition ${name} concurrently`);
    } else if (state === 'detaching') {
      await client.query(`alter table ${parent} detach partition ${name} finalize`);
    }
    await client.query(`drop table ${name}`);
    dropped.push(name);
  }
  return dropped;
}

interface OldPartition {
  readonly name: string;
  readonly parent: string;
  readonly state: 'attached' | 'detaching' | 'detached';
}

const oldPartitions = statement<OldPartition>(
  null,
  `select c.relname as name, t.parent,
            case when i.inhrelid is null then 'detached'
                 when i.inhdetachpending then 'detaching' else 'attached' end as state
       from (values ('deliveries', :days::int), ('attempts', :days), ('outcomes', :days),
                    ('seen_events', :seen_event_days)) t (parent, keep)
       join pg_class c on c.relname ~ ('^' || t.parent || '_[0-9]{8}$') and c.relkind = 'r'
                      and c.relnamespace = current_schema()::regnamespace
       left join pg_inherits i on i.inhrelid = c.oid
      cross join lateral (select to_date(right(c.relname, 8), 'YYYYMMDD') as day) d
      where d.day < (now() at time zone 'utc')::date - t.keep
        and (t.parent = 'seen_events' or not exists (select from pending p where p.day = d.day))
      order by d.day, t.parent`,
);

/** Rows that lie in no partition and whose time is over. */
export async function purgeRows(pool: pg.Pool, { days }: Retention): Promise<void> {
  for (const deleteRows of deletions) await deleteRows(pool, { days });
  // A replica that has not looked for that long reads all webhooks anew.
  await pool.query(`delete from webhook_changes where at < now() - interval '1 hour'`);
}

const deletions = [
  `delete from redeliveries where day < (now() at time zone 'utc')::date - :days::int`,
  `delete from operations where ended_at < now() - :days * interval '1 day'`,
  `delete from webhook_hours where hour < now() - :days * interval '1 day'`,
].map((sql) => statement(null, sql));
