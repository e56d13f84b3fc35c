import { walkIndexes } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type {
  DeliveriesOfDay,
  Redaction,
  Redactions,
  RedactionTable,
} from '../../../application/privacy/ports.js';
import { OTHERS_HAVE_ENDED } from '../begin-after.js';
import { tryLock } from '../locks.js';
import { one } from '../one.js';
import { statement } from '../statement.js';
import { lowestIdAt } from '../stored-id.js';
import { daysOfDeliveries } from './days-of-deliveries.js';

/** Users that one run moves on. */
const USERS_MAX = 10;
const BATCH_MAX = 1_000;
/**
 * A delivery that is held or cancelled may have an attempt under way, whose result is still to come. An
 * attempt takes a minute at most.
 */
const LAST_RESULT_AFTER = `interval '2 minutes'`;

/** Makes the requests to redact payloads, outside a transaction. */
export const redactions = (pool: pg.Pool): Redactions => ({
  async request(userId) {
    const { rows } = await insertRequest(pool, { user_id: userId });
    await deleteLiveBodies(pool, { user_id: userId });
    return one(rows).requested_at;
  },

  async requestedAt(userId) {
    return (await findRequest(pool, { user_id: userId })).rows[0]?.requested_at;
  },

  async users() {
    const { rows } = await pool.query<{ user_id: string }>(
      `select user_id from redactions order by advanced_at limit ${USERS_MAX}`,
    );
    return rows.map((row) => row.user_id);
  },

  async beginTurn(userId) {
    await moveToEnd(pool, { user_id: userId });
  },
});

/** Makes the table of redactions and of what they list, within a transaction. */
export const redactionTable = (tx: pg.ClientBase): RedactionTable => ({
  async claim(userId) {
    if (!(await tryLock(tx, `redact/${userId}`))) return undefined;
    return (await findRedaction(tx, { user_id: userId })).rows[0];
  },

  days: () => daysOfDeliveries(tx),

  async listDay(redaction, day) {
    if (!(await tryLock(tx, 'list payloads'))) return false;
    // Deliveries have no index by their user: the day is read from end to end.
    await tx.query(`set local statement_timeout = '10min'`);
    const { rows } = await findAsFar(tx, { listed_to: redaction.listedTo, day });
    const asFar = [redaction, ...rows.filter(({ userId }) => userId !== redaction.userId)];
    const user_ids = asFar.map(({ userId }) => userId);
    const ends = asFar.map(({ requestedAt }) => endOf(requestedAt));
    await listDeliveries(tx, { user_ids, end_delivery_ids: ends, day });
    await noteListed(tx, { user_ids, begin_after: asFar.map((one) => one.beginAfter), day });
    return true;
  },

  async listRepeats({ userId, requestedAt }) {
    const values = { user_id: userId, end_delivery_id: endOf(requestedAt) };
    return (await listRepeats(tx, values)).rowCount !== 0;
  },

  async next(userId) {
    await walkIndexes(tx);
    return (await nextBatch(tx, { user_id: userId })).rows;
  },

  async unlist(userId, { day, deliveryIds }) {
    await deleteFromList(tx, { user_id: userId, day, delivery_ids: deliveryIds });
  },

  async end({ userId, beginAfter }) {
    await deleteRedaction(tx, { user_id: userId, begin_after: beginAfter });
  },
});

/** Returns an id that no delivery from before that moment exceeds. A delivery is as old as the one that it repeats. */
const endOf = (at: Date): string => lowestIdAt(new Date(at.getTime() + 1));

// Deliveries filed since an earlier request lie in its day and later ones, or in the day before if clocks disagree.
const insertRequest = statement<{ requested_at: Date }>(
  null,
  `insert into redactions as e (user_id, requested_at, begin_after)
   values (:user_id, date_trunc('milliseconds', now()), pg_current_xact_id())
   on conflict (user_id) do update
      set requested_at = excluded.requested_at, begin_after = excluded.begin_after,
          collected_to = least(e.collected_to, (e.requested_at at time zone 'utc')::date - 2)
   returning requested_at`,
);

const findRequest = statement<{ requested_at: Date }>(
  null,
  'select requested_at from redactions where user_id = :user_id',
);

const deleteLiveBodies = statement(
  null,
  'delete from live_tail where user_id = :user_id and body is not null',
);

const moveToEnd = statement(
  null,
  'update redactions set advanced_at = clock_timestamp() where user_id = :user_id',
);

const REDACTION = `
  select user_id as "userId", requested_at as "requestedAt", begin_after::text as "beginAfter",
         collected_to::text as "listedTo"
    from redactions where ${OTHERS_HAVE_ENDED}`;

const findRedaction = statement<Redaction>(null, `${REDACTION} and user_id = :user_id`);

const findAsFar = statement<Redaction>(
  null,
  `${REDACTION} and collected_to = :listed_to::date
      and :day::date <= (requested_at at time zone 'utc')::date + 1`,
);

// A request that was moved on meanwhile lists the day again. Locked in one order, so that no two replicas wait for each
// other.
const noteListed = statement(
  null,
  `update redactions r set collected_to = :day
     from (select e.user_id from redactions e
             join unnest(:user_ids::uuid[], :begin_after::xid8[]) as a (user_id, begin_after)
               on e.user_id = a.user_id and e.begin_after = a.begin_after
            order by e.user_id for update of e) listed
    where r.user_id = listed.user_id`,
);

const deleteRedaction = statement(
  null,
  `delete from redactions where user_id = :user_id and begin_after = :begin_after
      and not exists (select from payloads_to_redact where user_id = :user_id)`,
);

const listDeliveries = statement(
  null,
  `insert into payloads_to_redact (user_id, day, delivery_id)
   select d.user_id, d.day, d.delivery_id
     from deliveries d
     join unnest(:user_ids::uuid[], :end_delivery_ids::uuid[]) as r (user_id, end_delivery_id) using (user_id)
    where d.day = :day and coalesce(d.original_id, d.delivery_id) < r.end_delivery_id and d.redacted_at is null
   on conflict do nothing`,
  { end_delivery_ids: 'dlv' },
);

const nextBatch = statement<DeliveriesOfDay>(
  null,
  `select day::text, array_agg(delivery_id) as "deliveryIds"
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
  { deliveryIds: 'dlv' },
);

const deleteFromList = statement(
  null,
  `delete from payloads_to_redact
    where user_id = :user_id and day = :day and delivery_id = any (:delivery_ids::uuid[])`,
  { delivery_ids: 'dlv' },
);

const listRepeats = statement(
  null,
  `insert into payloads_to_redact (user_id, day, delivery_id)
   select r.user_id, r.day, r.delivery_id from redeliveries r
    cross join lateral (select redacted_at from deliveries d
                         where d.day = r.day and d.delivery_id = r.delivery_id limit 1) d
    where r.user_id = :user_id and r.original_id < :end_delivery_id and d.redacted_at is null
   on conflict do nothing`,
  { end_delivery_id: 'dlv' },
);
