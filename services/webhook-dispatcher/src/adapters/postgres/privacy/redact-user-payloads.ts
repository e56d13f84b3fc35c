import { inTransaction } from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import { statement } from '../statement.js';
import { dayOf, lowestIdAt } from '../stored-id.js';
import { OTHERS_HAVE_ENDED } from './begin-after.js';
import { daysOfDeliveries } from './delete-user-rows.js';
import { type DeliveriesOfDay, redactPayloads } from './redact-payload.js';

/** Users that one turn moves on, and the transactions it takes for each. */
const USERS_MAX = 10;
const STEPS_MAX = 20;
const BATCH_MAX = 1_000;
/**
 * A delivery that is held or cancelled may have an attempt under way, whose result is still to come. An
 * attempt takes a minute at most.
 */
const LAST_RESULT_AFTER = `interval '2 minutes'`;
const DAY_MS = 86_400_000;

/** Has the payloads of all deliveries that the user has by now redacted in the background. Gives that moment. */
export const requestRedaction =
  (pool: pg.Pool) =>
  async (userId: string): Promise<Date> => {
    const { rows } = await pool.query<{ requested_at: Date }>(REQUEST, [userId]);
    await pool.query('delete from live_tail where user_id = $1 and body is not null', [userId]);
    const [row] = rows;
    if (row === undefined) throw new Error('The request to redact was not stored.');
    return row.requested_at;
  };

// Deliveries filed since an earlier request lie in its day and later ones, or in the day before if clocks disagree.
const REQUEST = `
insert into redactions as e (user_id, requested_at, begin_after)
values ($1, date_trunc('milliseconds', now()), pg_current_xact_id())
on conflict (user_id) do update
   set requested_at = excluded.requested_at, begin_after = excluded.begin_after,
       collected_to = least(e.collected_to, (e.requested_at at time zone 'utc')::date - 2)
returning requested_at`;

/**
 * Redacts the payloads of users who asked for it: lists them day by day, then takes them in batches, each
 * in a transaction of its own. What waits to be sent keeps its payload until it has ended. Any number of
 * replicas may do so; a turn is bounded, and those whose last one is longest ago come first.
 */
export async function redactUserPayloads(pool: pg.Pool): Promise<void> {
  const { rows: users } = await pool.query<{ user_id: string }>(
    `select user_id from redactions order by advanced_at limit ${USERS_MAX}`,
  );
  for (const { user_id: userId } of users) {
    await pool.query('update redactions set advanced_at = clock_timestamp() where user_id = $1', [
      userId,
    ]);
    for (let n = 0; n < STEPS_MAX; n++) {
      if (!(await inTransaction(pool, (tx) => step(tx, userId)))) break;
    }
  }
}

/** False: there is nothing more to do for now. */
async function step(tx: pg.PoolClient, userId: string): Promise<boolean> {
  const request = await claim(tx, userId);
  if (request === undefined) return false;
  const day = await nextDay(tx, request);
  if (day !== undefined) {
    await collectDay(tx, request, day);
    return true;
  }
  if (await redactBatch(tx, userId)) return true;
  if (await collectRepeats(tx, request)) return true;
  await end(tx, request);
  return false;
}

interface Request {
  readonly user_id: string;
  readonly requested_at: Date;
  readonly begin_after: string;
  readonly collected_to: string;
}

/**
 * Locks a request for this replica. Returns undefined while another replica has the request, or while a transaction
 * runs that was under way when it was made: such a transaction may still file a delivery from before the request.
 */
async function claim(tx: pg.PoolClient, userId: string): Promise<Request | undefined> {
  const { rows: locks } = await tx.query<{ ours: boolean }>(
    'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as ours',
    [`redact/${userId}`],
  );
  if (locks[0]?.ours !== true) return undefined;
  const { rows } = await tx.query<Request>(
    `select user_id, requested_at, begin_after::text, collected_to::text from redactions
      where user_id = $1 and ${OTHERS_HAVE_ENDED}`,
    [userId],
  );
  return rows[0];
}

async function nextDay(
  tx: pg.PoolClient,
  { requested_at: requestedAt, collected_to: collectedTo }: Request,
): Promise<string | undefined> {
  const last = dayOf(requestedAt, DAY_MS);
  return (await daysOfDeliveries(tx)).find((day) => day > collectedTo && day <= last);
}

/** No id made by that moment is above it. A delivery is as old as the one that it repeats. */
const bound = ({ requested_at: at }: Request): string => lowestIdAt(new Date(at.getTime() + 1));

async function collectDay(tx: pg.PoolClient, request: Request, day: string): Promise<void> {
  // Deliveries have no index by their user: the day is read from end to end.
  await tx.query(`set local statement_timeout = '10min'`);
  await COLLECT_DAY(tx, { user_id: request.user_id, day, end_delivery_id: bound(request) });
  await tx.query(
    'update redactions set collected_to = $3 where user_id = $1 and begin_after = $2',
    [request.user_id, request.begin_after, day],
  );
}

const COLLECT_DAY = statement(
  null,
  `insert into payloads_to_redact (user_id, day, delivery_id)
   select user_id, day, delivery_id from deliveries
    where day = :day and user_id = :user_id
      and coalesce(original_id, delivery_id) < :end_delivery_id and redacted_at is null
   on conflict do nothing`,
);

/** Redacts the next payloads that no attempt needs any more. Returns false when none are left. */
async function redactBatch(tx: pg.PoolClient, userId: string): Promise<boolean> {
  const { rows: batch } = await NEXT_BATCH(tx, { user_id: userId });
  for (const deliveries of batch) {
    await redactPayloads(tx, deliveries);
    await DELETE_FROM_LIST(tx, { user_id: userId, ...deliveries });
  }
  return batch.length > 0;
}

const NEXT_BATCH = statement<DeliveriesOfDay>(
  null,
  `select day::text, array_agg(delivery_id) as delivery_ids
     from (select e.day, e.delivery_id from payloads_to_redact e
             left join lateral (select true as waits from pending p
                                 where p.delivery_id = e.delivery_id limit 1) p on true
             left join lateral (select true as just_ended from outcomes o
                                 where o.day = e.day and o.delivery_id = e.delivery_id
                                   and o.status in ('held', 'cancelled')
                                   and o.at > now() - ${LAST_RESULT_AFTER} limit 1) o on true
            where e.user_id = :user_id and p.waits is null and o.just_ended is null
            order by e.day, e.delivery_id limit ${BATCH_MAX}) e
    group by day order by day`,
);

const DELETE_FROM_LIST = statement(
  null,
  `delete from payloads_to_redact
    where user_id = :user_id and day = :day and delivery_id = any (:delivery_ids::uuid[])`,
);

/**
 * Lists the repeats that were made of a delivery while it still had its payload. Returns false when every repeat is
 * listed; once nothing is listed, no repeat can be made any more.
 */
async function collectRepeats(tx: pg.PoolClient, request: Request): Promise<boolean> {
  const values = { user_id: request.user_id, end_delivery_id: bound(request) };
  const { rowCount } = await COLLECT_REPEATS(tx, values);
  return rowCount !== 0;
}

const COLLECT_REPEATS = statement(
  null,
  `insert into payloads_to_redact (user_id, day, delivery_id)
   select r.user_id, r.day, r.delivery_id from redeliveries r
    cross join lateral (select redacted_at from deliveries d
                         where d.day = r.day and d.delivery_id = r.delivery_id limit 1) d
    where r.user_id = :user_id and r.original_id < :end_delivery_id and d.redacted_at is null
   on conflict do nothing`,
);

/** Ends the request, unless payloads are still listed or a newer request was stored meanwhile. */
async function end(tx: pg.PoolClient, request: Request): Promise<void> {
  await tx.query(
    `delete from redactions where user_id = $1 and begin_after = $2
        and not exists (select from payloads_to_redact where user_id = $1)`,
    [request.user_id, request.begin_after],
  );
}
