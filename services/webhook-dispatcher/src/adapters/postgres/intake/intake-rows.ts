import { AppError } from '@junction/errors';
import type { SubjectKeys } from '@junction/vault';
import pg from 'pg';
import type { IntakeRows, JudgedEvent, NewDelivery } from '../../../application/ports.js';
import { byteas, smallints, texts, uuids } from '../binary-arrays.js';
import { type Unlock, USER_KEY } from '../sealed-rows.js';
import { bodyPlace } from '../sending/due-work.js';
import { statement } from '../statement.js';
import type { Look, WebhookIndex } from '../webhooks/webhook-index.js';

export interface IntakeKeys {
  readonly unlock: Unlock;
  /** Of this replica. */
  readonly index: WebhookIndex;
}

/** How events are taken in within one transaction. */
export function intakeRows(
  tx: pg.PoolClient,
  { unlock, index }: IntakeKeys,
  now: Date,
): IntakeRows {
  let look: Look | undefined;
  const keysFor = async (deliveries: readonly NewDelivery[]) =>
    unlock([...new Set(deliveries.map(({ job }) => job.userId))], tx, look?.dataKeys);
  return {
    async webhooksOf(userIds) {
      const line = standInLineAtMidnight(tx, now);
      [look] = await Promise.all([index.look(userIds), line]);
      return look.webhooks;
    },

    async record(events, deliveries) {
      const arrays = deliveryArrays(deliveries, await keysFor(deliveries));
      const since = look?.version;
      const {
        day,
        version,
        changed,
        is_current,
        known_message_ids: known,
      } = await record(tx, events, arrays, since);
      const recorded = { day, known: new Set(known) };
      if (since === undefined) return recorded;
      index.learn({ since, version: Number(version), changed: changed ?? undefined });
      return is_current ? recorded : undefined;
    },

    async countRepeats(repeats) {
      await countRepeats(tx, {
        message_ids: uuids([...repeats.keys()]),
        counts: smallints([...repeats.values()]),
      });
    },

    async insertDeliveries(day, deliveries) {
      const arrays = deliveryArrays(deliveries, await keysFor(deliveries));
      await insertDeliveries(tx, { ...arrays, day }).catch(throwIfNoPartition);
    },
  };
}

const AROUND_MIDNIGHT_MS = 5 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const MIDNIGHT_LINE = 7_035_201_993;

/**
 * Within a day the primary key refuses a second row for an event. Two transactions on either side of
 * midnight would file theirs under different days, unseen by each other: there, one goes at a time.
 */
async function standInLineAtMidnight(tx: pg.PoolClient, now: Date): Promise<void> {
  const sinceMidnightMs = now.getTime() % DAY_MS;
  if (Math.min(sinceMidnightMs, DAY_MS - sinceMidnightMs) > AROUND_MIDNIGHT_MS) return;
  await tx.query('select pg_advisory_xact_lock($1)', [MIDNIGHT_LINE]);
}

interface RecordedRow {
  readonly day: string;
  readonly known_message_ids: readonly string[];
  /** Of webhook_index. */
  readonly version: string;
  /** null: more than can be told. */
  readonly changed: readonly string[] | null;
  /** False: webhooks of these users changed since, and nothing was filed. */
  readonly is_current: boolean;
}

/** Files what was matched with webhooks as of `since`. Undefined: with what needs no matching. */
async function record(
  tx: pg.PoolClient,
  judged: readonly JudgedEvent[],
  deliveries: DeliveryArrays,
  since: number | undefined,
): Promise<RecordedRow> {
  const { rows } = await recordEvents(tx, {
    ...deliveries,
    message_ids: uuids(judged.map(({ event }) => event.messageId)),
    sources: texts(judged.map(({ event }) => event.source)),
    ce_ids: texts(judged.map(({ event }) => event.id)),
    user_ids: uuids(judged.map(({ event }) => event.userId)),
    kinds: texts(judged.map(({ event }) => event.kind)),
    verdicts: texts(judged.map(({ verdicts }) => JSON.stringify(verdicts))),
    since: since ?? null,
  }).catch(throwIfNoPartition);
  const [row] = rows;
  if (row === undefined) throw new Error('webhook_index has no row.');
  return row;
}

type DeliveryArrays = ReturnType<typeof deliveryArrays>;

/** The parameters of DELIVERIES and FILE_DELIVERIES, the bodies sealed. */
function deliveryArrays(deliveries: readonly NewDelivery[], keys: SubjectKeys) {
  const jobs = deliveries.map(({ job }) => job);
  const bodies = jobs.map(({ userId, deliveryId, body }) =>
    keys.seal(userId, body, bodyPlace(deliveryId)),
  );
  return {
    delivery_ids: uuids(jobs.map(({ deliveryId }) => deliveryId)),
    delivery_messages: uuids(jobs.map(({ messageId }) => messageId)),
    delivery_webhooks: uuids(jobs.map(({ webhookId }) => webhookId)),
    delivery_users: uuids(jobs.map(({ userId }) => userId)),
    delivery_kinds: texts(jobs.map(({ kind }) => kind)),
    bodies: byteas(bodies),
    shards: smallints(jobs.map(({ shard }) => shard)),
    delivery_verdicts: texts(deliveries.map(({ verdict }) => verdict)),
    key_id: USER_KEY,
  };
}

const DELIVERIES = `
select * from unnest(:delivery_ids::uuid[], :delivery_messages::uuid[], :delivery_webhooks::uuid[],
                     :delivery_users::uuid[], :delivery_kinds::text[], :bodies::bytea[],
                     :shards::smallint[], :delivery_verdicts::text[])
  as d (delivery_id, message_id, webhook_id, user_id, kind, body, shard, verdict)`;

/** Files what `delivery` gives. */
const FILE_DELIVERIES = `
filed_deliveries as (
  insert into deliveries (day, delivery_id, message_id, webhook_id, user_id, kind, body, key_id)
  select day, delivery_id, message_id, webhook_id, user_id, kind, body, :key_id from delivery
), held as (
  insert into outcomes (day, delivery_id, webhook_id, status, reason, at)
  select day, delivery_id, webhook_id, 'held', 'webhook_disabled', now() from delivery where verdict = 'held'
), waiting as (
  insert into pending (delivery_id, day, webhook_id, user_id, shard, attempt, status, next_at)
  select delivery_id, day, webhook_id, user_id, shard, 1, 'pending', now()
    from delivery where verdict = 'pending'
)`;

const insertDeliveries = statement(
  'insert_deliveries',
  `with delivery as (select :day::date as day, d.* from (${DELIVERIES}) d), ${FILE_DELIVERIES} select`,
);

const CHANGES_MAX = 1_000;

const TODAY = `(now() at time zone 'utc')::date`;

// Sorted, so that two batches with the same events wait for each other instead of deadlocking. Of today the
// primary key tells, and not a join: a new partition has no statistics, and would be read from end to end.
// Changes are few between two batches: who was away for longer reads anew instead of counting them.
const recordEvents = statement<RecordedRow>(
  'record_events',
  `
with change as materialized (
  select user_id from webhook_changes where version > :since order by version limit ${CHANGES_MAX}
), news as materialized (
  select version, is_told,
         :since::bigint is null or is_told and not exists (
           select from change where user_id = any (:user_ids::uuid[])) as is_current
    from (select version, version - :since::bigint = (select count(*) from change) as is_told
            from webhook_index) i
), filed as (
  insert into seen_events (day, message_id, ce_source, ce_id, user_id, kind, at, verdicts)
  select ${TODAY}, e.*
    from (select message_id, ce_source, ce_id, user_id, kind, now() as at, verdicts::jsonb
            from unnest(:message_ids::uuid[], :sources::text[], :ce_ids::text[], :user_ids::uuid[],
                        :kinds::text[], :verdicts::text[])
              as u (message_id, ce_source, ce_id, user_id, kind, verdicts)) e
   where (select is_current from news)
     and not exists (
           select from seen_events s
            where s.message_id = e.message_id
              and (s.day between ${TODAY} - 7 and ${TODAY} - 1
                   -- Who began before midnight may have waited for one who began after it.
                   or s.day = ${TODAY} + 1))
   order by e.message_id
  on conflict do nothing
  returning message_id
), delivery as (
  select ${TODAY} as day, d.* from (${DELIVERIES}) d
   where d.message_id in (select message_id from filed)
), ${FILE_DELIVERIES}
select ${TODAY}::text as day,
       array(select * from unnest(:message_ids::uuid[]) except select message_id from filed) as known_message_ids,
       version, case when is_told then array(select distinct user_id from change) end as changed, is_current
  from news`,
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
    throw new AppError('unavailable', 'partition_missing', 'Today has no partitions yet.', {
      cause: error,
    });
  }
  throw error;
}
