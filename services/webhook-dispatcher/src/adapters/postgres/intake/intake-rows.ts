import { AppError } from '@junction/errors';
import type { SubjectKeys } from '@junction/vault';
import pg from 'pg';
import type { IntakeRows, JudgedEvent, NewDelivery } from '../../../application/intake.js';
import { byteas, smallints, texts, uuids } from '../binary-arrays.js';
import { type Unlock, USER_KEY } from '../sealed-rows.js';
import { bodyPlace } from '../sending/due-work.js';
import { toStoredId } from '../stored-id.js';
import type { Look, WebhookIndex } from '../webhooks/webhook-index.js';

export interface IntakeNeeds {
  readonly unlock: Unlock;
  /** Of this replica. */
  readonly index: WebhookIndex;
}

/** How events are taken in within one transaction. */
export function intakeRows(
  tx: pg.PoolClient,
  { unlock, index }: IntakeNeeds,
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
      const { version, changed, is_current, ...recorded } = await record(tx, events, arrays, since);
      if (since === undefined) return recorded;
      index.learn({ since, version: Number(version), changed: changed ?? undefined });
      return is_current ? recorded : undefined;
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
  readonly known: readonly string[];
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
  deliveries: readonly Buffer[],
  since: number | undefined,
) {
  const { rows } = await tx
    .query<RecordedRow>({
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
        since ?? null,
      ],
    })
    .catch(throwIfNoPartition);
  const [row] = rows;
  if (row === undefined) throw new Error('webhook_index has no row.');
  return { ...row, known: new Set(row.known) };
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

const CHANGES_MAX = 1_000;

const TODAY = `(now() at time zone 'utc')::date`;

// Sorted, so that two batches with the same events wait for each other instead of deadlocking. Of today the
// primary key tells, and not a join: a new partition has no statistics, and would be read from end to end.
// Changes are few between two batches: who was away for longer reads anew instead of counting them.
const RECORD = `
with change as materialized (
  select user_id from webhook_changes where version > $16 order by version limit ${CHANGES_MAX}
), news as materialized (
  select version, is_told,
         $16::bigint is null or is_told and not exists (
           select from change where user_id = any ($13::uuid[])) as is_current
    from (select version, version - $16::bigint = (select count(*) from change) as is_told
            from webhook_index) i
), filed as (
  insert into seen_events (day, message_id, ce_source, ce_id, user_id, kind, at, verdicts)
  select ${TODAY}, e.*
    from (select message_id, ce_source, ce_id, user_id, kind, now() as at, verdicts::jsonb
            from unnest($10::uuid[], $11::text[], $12::text[], $13::uuid[], $14::text[], $15::text[])
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
       array(select * from unnest($10::uuid[]) except select message_id from filed) as known,
       version, case when is_told then array(select distinct user_id from change) end as changed, is_current
  from news`;

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
