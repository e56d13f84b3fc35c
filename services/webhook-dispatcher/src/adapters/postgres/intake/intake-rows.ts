import { AppError } from '@junction/errors';
import {
  byteas,
  dates,
  ints,
  smallints,
  texts,
  timestamps,
  uuids,
} from '@junction/eventsourcing/postgres';
import { MOVE_OFFSETS, type OffsetMoves } from '@junction/messaging';
import type { SubjectKeys } from '@junction/vault';
import pg from 'pg';
import type { IntakeRows, JudgedEvent, NewDelivery } from '../../../application/intake/ports.js';
import type { AttemptRecord } from '../../../application/job.js';
import { lock } from '../locks.js';
import { type Unlock, USER_KEY } from '../sealed-rows.js';
import { statement } from '../statement.js';
import { bodyPlace, withAnswer } from '../stored-answer.js';
import { dayOf } from '../stored-id.js';
import type { WebhookIndex } from '../webhook-index.js';

export interface IntakeKeys {
  readonly unlock: Unlock;
  /** Index of this replica. */
  readonly index: WebhookIndex;
}

/** Files events within one transaction. */
export function intakeRows(
  tx: pg.PoolClient,
  { unlock, index }: IntakeKeys,
  now: Date,
): IntakeRows {
  const keysOf = keysIn({ unlock, index }, tx);
  return {
    async record(events, deliveries) {
      const isMidnight = isAroundMidnight(now);
      const [keys] = await Promise.all([
        keysOf(deliveries),
        isMidnight && lock(tx, 'intake around midnight'),
      ]);
      const { rows } = await recordEvents(tx, {
        ...deliveryArrays(deliveries, keys),
        ...eventArrays(events),
        is_midnight: isMidnight,
      }).catch(throwIfNoPartition);
      return new Set(rows[0]?.known_message_ids);
    },

    async countRepeats(repeats) {
      await countRepeats(tx, {
        message_ids: uuids([...repeats.keys()]),
        counts: smallints([...repeats.values()]),
      });
    },

    async insertDeliveries(deliveries) {
      const arrays = deliveryArrays(deliveries, await keysOf(deliveries));
      await insertDeliveries(tx, arrays).catch(throwIfNoPartition);
    },
  };
}

/**
 * Files events and moves offsets in one statement, which files nothing when an offset was moved or an event is known.
 * Undefined around midnight, when events are filed after a lock.
 */
export function recordAtOnce(
  db: pg.Pool,
  keys: IntakeKeys,
  now: Date,
  moves: OffsetMoves,
): IntakeRows['record'] | undefined {
  if (isAroundMidnight(now)) return undefined;
  return async (events, deliveries) => {
    const arrays = deliveryArrays(deliveries, await keysIn(keys)(deliveries));
    const values = { ...arrays, ...eventArrays(events), ...moves };
    await recordEventsAtOnce(db, values).catch(throwIfNoPartition);
    return new Set();
  };
}

const keysIn =
  ({ unlock, index }: IntakeKeys, tx?: pg.PoolClient) =>
  async (deliveries: readonly NewDelivery[]) => {
    const userIds = [...new Set(deliveries.map(({ job }) => job.userId))];
    return unlock(userIds, tx, index.dataKeys(userIds));
  };

const AROUND_MIDNIGHT_MS = 5 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/**
 * Within a day the primary key refuses a second row for an event. Two transactions on either side of
 * midnight would file theirs under different days, unseen by each other: there, one goes at a time.
 */
function isAroundMidnight(now: Date): boolean {
  const sinceMidnightMs = now.getTime() % DAY_MS;
  return Math.min(sinceMidnightMs, DAY_MS - sinceMidnightMs) <= AROUND_MIDNIGHT_MS;
}

/** The parameters of `filing` that are of events. */
const eventArrays = (events: readonly JudgedEvent[]) => ({
  days: dates(events.map(({ event }) => dayOf(event.at, 0))),
  message_ids: uuids(events.map(({ event }) => event.messageId)),
  sources: texts(events.map(({ event }) => event.source)),
  ce_ids: texts(events.map(({ event }) => event.id)),
  user_ids: uuids(events.map(({ event }) => event.userId)),
  kinds: texts(events.map(({ event }) => event.kind)),
  verdicts: texts(events.map(({ verdicts }) => JSON.stringify(verdicts))),
});

/** The parameters of DELIVERIES and FILE_DELIVERIES, sealed. Of users whose key is destroyed nothing is filed. */
function deliveryArrays(all: readonly NewDelivery[], keys: SubjectKeys) {
  const deliveries = all.filter(({ job }) => keys.has(job.userId));
  const jobs = deliveries.map(({ job }) => job);
  const sent = deliveries.map((delivery) => delivery.sent);
  const timings = (ms: (record: AttemptRecord) => number | null) =>
    ints(sent.map((record) => (record === undefined ? null : rounded(ms(record)))));
  return {
    delivery_days: dates(jobs.map(({ day }) => day)),
    delivery_ids: uuids(jobs.map(({ deliveryId }) => deliveryId)),
    delivery_messages: uuids(jobs.map(({ messageId }) => messageId)),
    delivery_webhooks: uuids(jobs.map(({ webhookId }) => webhookId)),
    delivery_users: uuids(jobs.map(({ userId }) => userId)),
    delivery_kinds: texts(jobs.map(({ kind }) => kind)),
    bodies: byteas(
      deliveries.map(({ job: { userId, deliveryId, body }, sent }) =>
        keys.seal(userId, sent ? withAnswer(body, sent) : body, bodyPlace(deliveryId)),
      ),
    ),
    traceparents: texts(jobs.map(({ traceparent }) => traceparent ?? null)),
    event_times: timestamps(deliveries.map(({ eventTime }) => eventTime)),
    shards: smallints(jobs.map(({ shard }) => shard)),
    delivery_verdicts: texts(deliveries.map(({ verdict }) => verdict)),
    sent_at: timestamps(sent.map((record) => record?.startedAt ?? null)),
    body_bytes: ints(deliveries.map(({ job, sent }) => (sent ? job.body.length : null))),
    http_statuses: smallints(sent.map((record) => record?.httpStatus ?? null)),
    dns_ms: timings(({ connection }) => connection.dnsMs),
    connect_ms: timings(({ connection }) => connection.connectMs),
    tls_ms: timings(({ connection }) => connection.tlsMs),
    headers_ms: timings(({ headersMs }) => headersMs),
    total_ms: timings(({ totalMs }) => totalMs),
    key_id: USER_KEY,
  };
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));

const DELIVERIES = `
select * from unnest(:delivery_days::date[], :delivery_ids::uuid[], :delivery_messages::uuid[],
                     :delivery_webhooks::uuid[], :delivery_users::uuid[], :delivery_kinds::text[],
                     :bodies::bytea[], :shards::smallint[], :delivery_verdicts::text[],
                     :sent_at::timestamptz[], :body_bytes::int[], :http_statuses::smallint[],
                     :dns_ms::int[], :connect_ms::int[], :tls_ms::int[], :headers_ms::int[],
                     :total_ms::int[], :traceparents::text[], :event_times::timestamptz[])
  as d (day, delivery_id, message_id, webhook_id, user_id, kind, body, shard, verdict, sent_at,
        body_bytes, http_status, dns_ms, connect_ms, tls_ms, headers_ms, total_ms,
        traceparent, event_time)`;

/** Files what `delivery` gives. */
const FILE_DELIVERIES = `
filed_deliveries as (
  insert into deliveries (day, delivery_id, message_id, webhook_id, user_id, kind, body, key_id, sent_at,
                          body_bytes, http_status, dns_ms, connect_ms, tls_ms, headers_ms, total_ms,
                          traceparent, event_time)
  select day, delivery_id, message_id, webhook_id, user_id, kind, body, :key_id, sent_at,
         body_bytes, http_status, dns_ms, connect_ms, tls_ms, headers_ms, total_ms, traceparent,
         event_time
    from delivery
), held as (
  insert into outcomes (day, delivery_id, webhook_id, status, reason, at)
  select day, delivery_id, webhook_id, 'held', 'webhook_disabled', now() from delivery where verdict = 'held'
), waiting as (
  insert into pending (delivery_id, day, webhook_id, user_id, shard, attempt, status, next_at)
  select delivery_id, day, webhook_id, user_id, shard, 1, 'pending', now()
    from delivery where verdict = 'pending' and sent_at is null
)`;

const insertDeliveries = statement(
  'insert_deliveries',
  `with delivery as (${DELIVERIES}), ${FILE_DELIVERIES} select`,
);

const TODAY = `(now() at time zone 'utc')::date`;

// Sorted, so that two batches with the same events wait for each other instead of deadlocking. Of the event's day the
// primary key tells whether it is known; what was seen on earlier days was looked up before.
const filing = (condition: string): string => `
filed as (
  insert into seen_events (day, message_id, ce_source, ce_id, user_id, kind, at, verdicts)
  select day, message_id, ce_source, ce_id, user_id, kind, now(), verdicts::jsonb
    from unnest(:days::date[], :message_ids::uuid[], :sources::text[], :ce_ids::text[], :user_ids::uuid[],
                :kinds::text[], :verdicts::text[])
      as e (day, message_id, ce_source, ce_id, user_id, kind, verdicts)
   where ${condition}
   order by message_id
  on conflict do nothing
  returning message_id
), delivery as (
  select d.* from (${DELIVERIES}) d where d.message_id in (select message_id from filed)
), ${FILE_DELIVERIES}`;

const recordEvents = statement<{ readonly known_message_ids: readonly string[] }>(
  'record_events',
  `
with ${filing(`not (:is_midnight::boolean and exists (
           select from seen_events s
            where s.message_id = e.message_id and s.day between ${TODAY} - 1 and ${TODAY} + 1
              and s.day <> e.day))`)}
select array(select * from unnest(:message_ids::uuid[]) except select message_id from filed) as known_message_ids`,
  { known_message_ids: 'msg' },
);

const allOf = (cte: string, array: string): string =>
  `case when (select count(*) from ${cte}) = cardinality(${array}) then true else refuse_batch() end`;

// Offsets are locked before events, as they are in a transaction.
const recordEventsAtOnce = statement(
  'record_events_at_once',
  `
with moved as (${MOVE_OFFSETS} returning 1),
${filing(allOf('moved', ':partitions::int[]'))}
select where ${allOf('filed', ':message_ids::uuid[]')}`,
);

// A statement of its own: repeats are rare, and all others would pay for it.
const countRepeats = statement(
  'count_repeats',
  `update seen_events s set repeats = s.repeats + r.count, repeated_at = now()
     from unnest(:message_ids::uuid[], :counts::smallint[]) as r (message_id, count)
    where s.message_id = r.message_id and s.day between ${TODAY} - 7 and ${TODAY} + 1`,
);

const CHECK_VIOLATION = '23514';

/** A day without partitions is our fault, and passes: the records must wait for them, not die. */
function throwIfNoPartition(error: unknown): never {
  if (error instanceof pg.DatabaseError && error.code === CHECK_VIOLATION && !error.constraint) {
    throw new AppError('partition_missing', 'Today has no partitions yet.', { cause: error });
  }
  throw error;
}
