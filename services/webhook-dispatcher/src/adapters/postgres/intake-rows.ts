import { AppError } from '@junction/errors';
import { type DataKeyRow, findDataKeyRows, type SubjectKeys } from '@junction/vault';
import pg from 'pg';
import type {
  IntakeRows,
  JudgedEvent,
  MatchedWebhook,
  NewDelivery,
  Recorded,
} from '../../application/intake.js';
import type { Filter } from '../../domain/webhook/filter.js';
import type { WebhookRow } from '../../projections/webhook-row.js';
import { byteas, smallints, texts, uuids } from './binary-arrays.js';
import { bodyPlace } from './due-work.js';
import { type Unlock, USER_KEY } from './sealed-rows.js';
import { toStoredId } from './stored-id.js';

/** How events are taken in within one transaction. */
export function intakeRows(tx: pg.PoolClient, unlock: Unlock, now: Date): IntakeRows {
  let found: ReadonlyMap<string, DataKeyRow> | undefined;
  const keysFor = async (deliveries: readonly NewDelivery[]) =>
    unlock([...new Set(deliveries.map(({ job }) => job.userId))], tx, found);
  return {
    async webhooksOf(userIds) {
      const line = standInLineAtMidnight(tx, now);
      // At the same time: each follows the one before without waiting for its answer.
      const [webhooks, keys] = await Promise.all([
        tx.query<WebhookRow>({ name: 'webhooks_of_users', text: WEBHOOKS, values: [userIds] }),
        findDataKeyRows(tx, userIds),
        line,
      ]);
      found = keys;
      return webhooks.rows.map(toMatched);
    },

    async record(events, deliveries) {
      return record(tx, events, deliveryArrays(deliveries, await keysFor(deliveries)));
    },

    async insertDeliveries(day, deliveries) {
      const arrays = deliveryArrays(deliveries, await keysFor(deliveries));
      const values = [...arrays, USER_KEY, day];
      await tx
        .query({ name: 'insert_deliveries', text: INSERT_DELIVERIES, values })
        .catch(throwIfNoPartition);
    },
  };
}

const WEBHOOKS = `
select webhook_id, user_id, events, status, filter, version from webhooks
 where user_id = any ($1::uuid[])`;

const toMatched = (row: WebhookRow): MatchedWebhook => ({
  webhookId: row.webhook_id,
  userId: row.user_id,
  events: row.events,
  status: row.status,
  ...(row.filter !== null && { filter: JSON.parse(row.filter) as Filter }),
  version: row.version,
});

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

async function record(
  tx: pg.PoolClient,
  judged: readonly JudgedEvent[],
  deliveries: readonly Buffer[],
): Promise<Recorded> {
  const { rows } = await tx
    .query<{ day: string; known: readonly string[] }>({
      name: 'record_events',
      text: RECORD,
      values: [
        ...deliveries,
        USER_KEY,
        uuids(judged.map(({ event }) => toStoredId(event.messageId))),
        texts(judged.map(({ event }) => event.source)),
        texts(judged.map(({ event }) => event.id)),
        uuids(judged.map(({ event }) => event.userId)),
        texts(judged.map(({ event }) => event.kind)),
        texts(judged.map(({ verdicts }) => JSON.stringify(verdicts))),
      ],
    })
    .catch(throwIfNoPartition);
  const [{ day, known } = { day: '', known: [] }] = rows;
  return { day, known: new Set(known) };
}

/** The parameters of DELIVERIES, the bodies sealed. */
function deliveryArrays(deliveries: readonly NewDelivery[], keys: SubjectKeys): readonly Buffer[] {
  const jobs = deliveries.map(({ job }) => job);
  const bodies = jobs.map(({ userId, deliveryId, body }) =>
    keys.seal(userId, body, bodyPlace(deliveryId)),
  );
  return [
    uuids(jobs.map(({ deliveryId }) => deliveryId)),
    uuids(jobs.map(({ messageId }) => messageId)),
    uuids(jobs.map(({ webhookId }) => toStoredId(webhookId))),
    uuids(jobs.map(({ userId }) => userId)),
    texts(jobs.map(({ kind }) => kind)),
    byteas(bodies),
    smallints(jobs.map(({ shard }) => shard)),
    texts(deliveries.map(({ verdict }) => verdict)),
  ];
}

const DELIVERIES = `
select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::bytea[], $7::smallint[],
                     $8::text[])
  as d (delivery_id, message_id, webhook_id, user_id, kind, body, shard, verdict)`;

/** Files what `delivery` gives. */
const FILE_DELIVERIES = `
filed_deliveries as (
  insert into deliveries (day, delivery_id, message_id, webhook_id, user_id, kind, body, key_id)
  select day, delivery_id, message_id, webhook_id, user_id, kind, body, $9 from delivery
), held as (
  insert into outcomes (day, delivery_id, webhook_id, status, reason, at)
  select day, delivery_id, webhook_id, 'held', 'webhook_disabled', now() from delivery where verdict = 'held'
), waiting as (
  insert into pending (delivery_id, day, webhook_id, user_id, shard, attempt, status, next_at)
  select delivery_id, day, webhook_id, user_id, shard, 1, 'pending', now()
    from delivery where verdict = 'pending'
)`;

const INSERT_DELIVERIES = `
with delivery as (select $10::date as day, d.* from (${DELIVERIES}) d), ${FILE_DELIVERIES}
select`;

const TODAY = `(now() at time zone 'utc')::date`;

// Sorted, so that two batches with the same events wait for each other instead of deadlocking. Of today the
// primary key tells, and not a join: a new partition has no statistics, and would be read from end to end.
const RECORD = `
with filed as (
  insert into seen_events (day, message_id, ce_source, ce_id, user_id, kind, at, verdicts)
  select ${TODAY}, e.*
    from (select message_id, ce_source, ce_id, user_id, kind, now() as at, verdicts::jsonb
            from unnest($10::uuid[], $11::text[], $12::text[], $13::uuid[], $14::text[], $15::text[])
              as u (message_id, ce_source, ce_id, user_id, kind, verdicts)) e
   where not exists (
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
       array(select * from unnest($10::uuid[]) except select message_id from filed) as known`;

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
