import { type Queryable, walkIndexes } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { DeliveriesOfDay, Redaction } from '../../../application/privacy/ports.js';
import { one } from '../../one.js';
import { OTHERS_HAVE_ENDED } from '../begin-after.js';
import { tryLock } from '../locks.js';
import { all, first, some, table } from '../statement.js';
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

/** Requests of users to redact payloads, outside a transaction. */
export const redactions = table({
  /**
   * Has all payloads that the user has by now redacted in the background. Returns the moment that counts, which a
   * repeated request moves on.
   */
  async request(pool: Queryable, userId: string) {
    const rows = await insertRequest(pool, { userId });
    await deleteLiveBodies(pool, { userId });
    return one(rows).requestedAt;
  },

  /** Returns the time of the user's newest request, as long as payloads are to be redacted. */
  async requestedAt(pool: Queryable, userId: string) {
    return (await findRequest(pool, { userId }))?.requestedAt;
  },

  /** Returns some of the users with a request, those first whose turn is longest ago. */
  async users(pool: Queryable) {
    return (await readUsers(pool)).map(({ userId }) => userId);
  },

  /** Notes that the user has a turn. */
  beginTurn: some<{ userId: string }>(
    null,
    'update redactions set advanced_at = clock_timestamp() where user_id = :userId',
  ),
});

/** Redactions and what they list, within a transaction. */
export const redactionTable = table({
  /**
   * Locks the request for this replica. Returns undefined while another replica has the request, or while a transaction
   * runs that was under way when it was made: such a transaction may still file a delivery from before the request.
   */
  async claim(tx: Queryable, userId: string) {
    return (await tryLock(tx, `redact/${userId}`)) ? findRedaction(tx, { userId }) : undefined;
  },

  /** Returns the days (YYYY-MM-DD) that have deliveries, oldest first. */
  days: daysOfDeliveries,

  /**
   * Lists the deliveries of that day which are to be redacted: also those of other users whose requests have come as
   * far, since a day is read as a whole. Returns false while another replica lists.
   */
  async listDay(tx: pg.ClientBase, redaction: Redaction, day: string) {
    if (!(await tryLock(tx, 'list payloads'))) return false;
    // Deliveries have no index by their user: the day is read from end to end.
    await tx.query(`set local statement_timeout = '10min'`);
    const others = await findAsFar(tx, { listedTo: redaction.listedTo, day });
    const asFar = [redaction, ...others.filter(({ userId }) => userId !== redaction.userId)];
    const userIds = asFar.map(({ userId }) => userId);
    const ends = asFar.map(({ requestedAt }) => endOf(requestedAt));
    await listDeliveries(tx, { userIds, ends, day });
    await noteListed(tx, { userIds, beginAfter: asFar.map((one) => one.beginAfter), day });
    return true;
  },

  /**
   * Lists the repeats that were made of a delivery while it still had its payload. Returns false when every repeat is
   * listed; once nothing is listed, no repeat can be made any more.
   */
  listRepeats: async (tx: Queryable, { userId, requestedAt }: Redaction) =>
    listRepeats(tx, { userId, end: endOf(requestedAt) }),

  /** Returns the next listed deliveries whose payloads no attempt needs any more. */
  async next(tx: pg.ClientBase, userId: string) {
    await walkIndexes(tx);
    return nextBatch(tx, { userId });
  },

  unlist: some<DeliveriesOfDay & { readonly userId: string }>(
    null,
    `delete from payloads_to_redact
      where user_id = :userId and day = :day and delivery_id = any (:deliveryIds::uuid[])`,
    { deliveryIds: 'dlv' },
  ),

  /** Ends the request, unless payloads are still listed or a newer request was stored meanwhile. */
  end: some<Pick<Redaction, 'userId' | 'beginAfter'>>(
    null,
    `delete from redactions where user_id = :userId and begin_after = :beginAfter
        and not exists (select from payloads_to_redact where user_id = :userId)`,
  ),
});

/** Returns an id that no delivery from before that moment exceeds. A delivery is as old as the one that it repeats. */
const endOf = (at: Date): string => lowestIdAt(new Date(at.getTime() + 1));

// Deliveries filed since an earlier request lie in its day and later ones, or in the day before if clocks disagree.
const insertRequest = all<{ userId: string }, { requestedAt: Date }>(
  null,
  `insert into redactions as e (user_id, requested_at, begin_after)
   values (:userId, date_trunc('milliseconds', now()), pg_current_xact_id())
   on conflict (user_id) do update
      set requested_at = excluded.requested_at, begin_after = excluded.begin_after,
          collected_to = least(e.collected_to, (e.requested_at at time zone 'utc')::date - 2)
   returning requested_at as "requestedAt"`,
);

const findRequest = first<{ userId: string }, { requestedAt: Date }>(
  null,
  'select requested_at as "requestedAt" from redactions where user_id = :userId',
);

const readUsers = all<object, { userId: string }>(
  null,
  `select user_id as "userId" from redactions order by advanced_at limit ${USERS_MAX}`,
);

const deleteLiveBodies = some<{ userId: string }>(
  null,
  'delete from live_tail where user_id = :userId and body is not null',
);

const REDACTION = `
  select user_id as "userId", requested_at as "requestedAt", begin_after::text as "beginAfter",
         collected_to::text as "listedTo"
    from redactions where ${OTHERS_HAVE_ENDED}`;

const findRedaction = first<{ userId: string }, Redaction>(
  null,
  `${REDACTION} and user_id = :userId`,
);

const findAsFar = all<Pick<Redaction, 'listedTo'> & { day: string }, Redaction>(
  null,
  `${REDACTION} and collected_to = :listedTo::date
      and :day::date <= (requested_at at time zone 'utc')::date + 1`,
);

// A request that was moved on meanwhile lists the day again. Locked in one order, so that no two replicas wait for each
// other.
const noteListed = some<{ userIds: string[]; beginAfter: string[]; day: string }>(
  null,
  `update redactions r set collected_to = :day
     from (select e.user_id from redactions e
             join unnest(:userIds::uuid[], :beginAfter::xid8[]) as a (user_id, begin_after)
               on e.user_id = a.user_id and e.begin_after = a.begin_after
            order by e.user_id for update of e) listed
    where r.user_id = listed.user_id`,
);

const listDeliveries = some<{ userIds: string[]; ends: string[]; day: string }>(
  null,
  `insert into payloads_to_redact (user_id, day, delivery_id)
   select d.user_id, d.day, d.delivery_id
     from deliveries d
     join unnest(:userIds::uuid[], :ends::uuid[]) as r (user_id, end_delivery_id) using (user_id)
    where d.day = :day and coalesce(d.original_id, d.delivery_id) < r.end_delivery_id and d.redacted_at is null
   on conflict do nothing`,
  { ends: 'dlv' },
);

const nextBatch = all<{ userId: string }, DeliveriesOfDay>(
  null,
  `select day::text, array_agg(delivery_id) as "deliveryIds"
     from (select e.day, e.delivery_id from payloads_to_redact e
             left join lateral (select true as waits from pending p
                                 where p.delivery_id = e.delivery_id limit 1) p on true
             left join lateral (select true as just_ended from outcomes o
                                 where o.day = e.day and o.delivery_id = e.delivery_id
                                   and o.status in ('held', 'cancelled')
                                   and o.at > now() - ${LAST_RESULT_AFTER} limit 1) o on true
            where e.user_id = :userId and p.waits is null and o.just_ended is null
            order by e.day, e.delivery_id limit ${BATCH_MAX}) e
    group by day order by day`,
  { deliveryIds: 'dlv' },
);

const listRepeats = some<{ userId: string; end: string }>(
  null,
  `insert into payloads_to_redact (user_id, day, delivery_id)
   select r.user_id, r.day, r.delivery_id from redeliveries r
    cross join lateral (select redacted_at from deliveries d
                         where d.day = r.day and d.delivery_id = r.delivery_id limit 1) d
    where r.user_id = :userId and r.original_id < :end and d.redacted_at is null
   on conflict do nothing`,
  { end: 'dlv' },
);
