import { newId } from '@junction/contracts';
import { AppError } from '@junction/errors';
import { inRetriedTransaction } from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import type { DeliveryStatus } from '../../../domain/delivery/events.js';
import { shardOf } from '../../../domain/shard.js';
import { timestamps } from '../binary-arrays.js';
import { type Unlock, USER_KEY } from '../sealed-rows.js';
import { attemptNow, headNow } from '../sending/attempt-now.js';
import { bodyPlace } from '../sending/due-work.js';
import { bodyIn } from '../sending/stored-answer.js';
import { statement } from '../statement.js';
import { daysAround } from '../stored-id.js';
import { LAST_WORD } from './delivery-rows.js';

/** A delivery that was there first, and how it stands with those that repeat it. */
export interface Original {
  readonly day: string;
  readonly delivery_id: string;
  readonly kind: string;
  readonly redacted: boolean;
  readonly status: DeliveryStatus;
}

/**
 * How a delivery and its repeats stand together: pending or retrying if one of them is, succeeded if one did, else
 * as the latest of them. `d` is the delivery.
 */
export const STANDING_JOINS = `
  left join lateral (select status from endings o
                      where o.day = d.day and o.delivery_id = d.delivery_id
                      order by ${LAST_WORD} limit 1) o on true
  left join lateral (select status as waits from pending p
                      where p.delivery_id = d.delivery_id limit 1) p on true
  left join lateral (
    select max(rp.waits) as waits, bool_or(ro.status = 'succeeded') as succeeded,
           (array_agg(ro.status order by r.delivery_id desc))[1] as latest
      from redeliveries r
      left join lateral (select status as waits from pending p
                          where p.delivery_id = r.delivery_id limit 1) rp on true
      left join lateral (select status from endings o
                          where o.day = r.day and o.delivery_id = r.delivery_id
                          order by ${LAST_WORD} limit 1) ro on true
     where r.original_id = d.delivery_id) again on true`;

export const STANDING = `
  coalesce(p.waits, again.waits,
           case when o.status = 'succeeded' or again.succeeded then 'succeeded' end,
           again.latest, o.status, 'pending')`;

/**
 * Sends a delivery again, and gives the id (dlv_…) of what is sent: of a new one, or of the one that waits, whose next
 * attempt is made now. Undefined: there is no such delivery.
 */
export const redeliver =
  (pool: pg.Pool, unlock: Unlock) =>
  async (webhookId: string, deliveryId: string): Promise<string | undefined> =>
    inRetriedTransaction(pool, async (tx) => {
      const original = await originalOf(tx, webhookId, deliveryId);
      if (original === undefined) return undefined;
      const sent =
        (await sendWaiting(tx, webhookId, original)) ?? (await again(tx, unlock, original));
      await headNow(tx, webhookId);
      return sent;
    });

async function sendWaiting(tx: pg.PoolClient, webhookId: string, original: Original) {
  const { status } = original;
  if (status !== 'pending' && status !== 'retrying') return undefined;
  const [waiting] = await attemptNow(tx, webhookId, [original], { isFirst: true });
  return waiting;
}

async function again(tx: pg.PoolClient, unlock: Unlock, original: Original): Promise<string> {
  const [copy] = original.redacted ? [] : await repeat(tx, unlock, [original]);
  if (copy === undefined) throw payloadRedacted();
  return copy;
}

/** Two requests for the same delivery go one after the other: the second finds the first under way. */
async function originalOf(
  tx: pg.PoolClient,
  webhookId: string,
  deliveryId: string,
): Promise<Original | undefined> {
  const { rows } = await findOriginal(tx, placeOf(webhookId, deliveryId));
  const originalId = rows[0]?.original_id;
  if (originalId === undefined) return undefined;
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
    `redeliver/${originalId}`,
  ]);
  const { rows: found } = await readOriginal(tx, placeOf(webhookId, originalId));
  return found[0];
}

function placeOf(webhookId: string, deliveryId: string) {
  const [first_day, last_day] = daysAround(deliveryId);
  return { webhook_id: webhookId, delivery_id: deliveryId, first_day, last_day };
}

const findOriginal = statement<{ original_id: string }>(
  'original_of_delivery',
  `select coalesce(original_id, delivery_id) as original_id from deliveries
    where webhook_id = :webhook_id and delivery_id = :delivery_id
      and day between :first_day::date and :last_day::date`,
);

const readOriginal = statement<Original>(
  'original',
  `select d.day::text, d.delivery_id, d.kind, d.redacted_at is not null as redacted,
          ${STANDING} as status
     from deliveries d ${STANDING_JOINS}
    where d.webhook_id = :webhook_id and d.delivery_id = :delivery_id
      and d.day between :first_day::date and :last_day::date`,
);

const payloadRedacted = () =>
  new AppError(
    'payload_expunged',
    'The payload of this delivery was removed: there is nothing left to send.',
  );

interface BodyRow {
  readonly delivery_id: string;
  readonly message_id: string;
  readonly webhook_id: string;
  readonly user_id: string;
  readonly kind: string;
  readonly is_test: boolean | null;
  readonly body: Buffer;
  readonly body_bytes: number | null;
  readonly key_id: string | null;
  readonly traceparent: string | null;
  readonly event_time: Date | null;
}

/**
 * Files a new delivery for each: the same message and the same bytes, with a series of attempts of its
 * own, due now. Gives their ids; those whose body does not open any more are left out. Originals are
 * locked: a transaction that redacts payloads waits for the copy, and finds it.
 *
 * @param operationId the replay that sends them; absent: they were asked for one by one
 */
export async function repeat(
  tx: pg.ClientBase,
  unlock: Unlock,
  originals: readonly Pick<Original, 'day' | 'delivery_id'>[],
  operationId?: string,
): Promise<readonly string[]> {
  if (originals.length === 0) return [];
  const { rows } = await readBodies(tx, {
    days: originals.map(({ day }) => day),
    delivery_ids: originals.map(({ delivery_id: id }) => id),
  });
  const keys = await unlock([...new Set(rows.map((row) => row.user_id))], tx);
  const copies = rows
    .filter(({ key_id, user_id }) => key_id === null || keys.has(user_id))
    .map((row) => {
      const deliveryId = newId('dlv');
      const { user_id: userId, key_id: keyId } = row;
      const stored =
        keyId === null ? row.body : keys.open(userId, row.body, bodyPlace(row.delivery_id));
      const body = bodyIn(stored, row.body_bytes);
      return { ...row, deliveryId, sealed: keys.seal(userId, body, bodyPlace(deliveryId)) };
    });
  if (copies.length === 0) return [];

  await insertRedeliveries(tx, {
    delivery_ids: copies.map(({ deliveryId }) => deliveryId),
    message_ids: copies.map((row) => row.message_id),
    webhook_ids: copies.map((row) => row.webhook_id),
    user_ids: copies.map((row) => row.user_id),
    kinds: copies.map((row) => row.kind),
    tests: copies.map((row) => row.is_test),
    bodies: copies.map(({ sealed }) => sealed),
    shards: copies.map((row) => shardOf(row.user_id)),
    original_ids: copies.map((row) => row.delivery_id),
    traceparents: copies.map((row) => row.traceparent),
    // The driver writes a Date in local time, whose offset may have seconds in the first centuries.
    event_times: timestamps(copies.map((row) => row.event_time)),
    key_id: USER_KEY,
    operation_id: operationId ?? null,
  });
  return copies.map(({ deliveryId }) => deliveryId);
}

const readBodies = statement<BodyRow>(
  'bodies_to_repeat',
  `select d.delivery_id, d.message_id, d.webhook_id, d.user_id, d.kind, d.is_test, d.body,
          d.body_bytes, d.key_id, d.traceparent, d.event_time
     from unnest(:days::date[], :delivery_ids::uuid[]) with ordinality as o (day, delivery_id, n)
    cross join lateral (select * from deliveries d
                         where d.day = o.day and d.delivery_id = o.delivery_id limit 1 for share) d
    where d.redacted_at is null
    order by o.n`,
);

const insertRedeliveries = statement(
  'insert_redeliveries',
  `
with again as (
  select (now() at time zone 'utc')::date as day, a.*
    from unnest(:delivery_ids::uuid[], :message_ids::uuid[], :webhook_ids::uuid[], :user_ids::uuid[],
                :kinds::text[], :tests::boolean[], :bodies::bytea[], :shards::smallint[],
                :original_ids::uuid[], :traceparents::text[], :event_times::timestamptz[])
      as a (delivery_id, message_id, webhook_id, user_id, kind, is_test, body, shard, original_id,
            traceparent, event_time)
), filed as (
  insert into deliveries (day, delivery_id, message_id, webhook_id, user_id, kind, body, key_id,
                          original_id, is_test, operation_id, traceparent, event_time)
  select day, delivery_id, message_id, webhook_id, user_id, kind, body, :key_id, original_id,
         is_test, :operation_id::uuid, traceparent, event_time
    from again
), linked as (
  insert into redeliveries (original_id, delivery_id, day, user_id)
  select original_id, delivery_id, day, user_id from again
)
insert into pending (delivery_id, day, webhook_id, user_id, shard, attempt, status, next_at)
select delivery_id, day, webhook_id, user_id, shard, 1, 'pending', now() from again`,
);
