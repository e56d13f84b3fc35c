import { timestamps } from '@junction/eventsourcing/postgres';
import type { SubjectKeys } from '@junction/vault';
import type pg from 'pg';
import type {
  DeliveryContent,
  DeliveryKey,
  Repeat,
  ReplaySpan,
  Standing,
} from '../../../application/replaying/ports.js';
import { lock } from '../locks.js';
import { type Unlock, USER_KEY } from '../sealed-rows.js';
import { STANDING, STANDING_JOINS } from '../standing.js';
import { statement } from '../statement.js';
import { BODY_BYTES, bodyIn, bodyPlace } from '../stored-answer.js';
import { daysAround } from '../stored-id.js';
import { candidates } from './replay-candidates.js';

/** Makes the table of deliveries, within a transaction. */
export function deliveryTable(tx: pg.ClientBase, unlock: Unlock) {
  const keys = keysOnce(tx, unlock);
  return {
    /**
     * Finds the delivery, or the one that it repeats. Of two transactions that ask for the same original, the second
     * waits for the first.
     */
    original: (webhookId: string, deliveryId: string) => originalOf(tx, webhookId, deliveryId),

    candidates: (webhookId: string, span: ReplaySpan, after: string | null, limit: number) =>
      candidates(tx, webhookId, span, after, limit),

    /**
     * Returns the contents that are still stored and whose user has a key. Their rows are locked: a transaction that
     * redacts them waits for the repeats, and finds them.
     */
    async contents(deliveries: readonly DeliveryKey[]) {
      const { rows } = await readContents(tx, {
        days: deliveries.map(({ day }) => day),
        delivery_ids: deliveries.map(({ deliveryId }) => deliveryId),
      });
      const opened = await Promise.all(
        rows.map(async (row) => toContent(row, await keys(row.userId))),
      );
      return opened.filter((content) => content !== undefined);
    },

    /** Files repeats, which are due now. `operationId`: the replay that sends them. */
    async insertRepeats(repeats: readonly Repeat[], operationId: string | undefined) {
      await insertRedeliveries(tx, {
        delivery_ids: repeats.map(({ deliveryId }) => deliveryId),
        message_ids: repeats.map(({ messageId }) => messageId),
        webhook_ids: repeats.map(({ webhookId }) => webhookId),
        user_ids: repeats.map(({ userId }) => userId),
        kinds: repeats.map(({ kind }) => kind),
        tests: repeats.map(({ isTest }) => isTest),
        bodies: await Promise.all(
          repeats.map(async ({ deliveryId, userId, body }) =>
            (await keys(userId)).seal(userId, body, bodyPlace(deliveryId)),
          ),
        ),
        shards: repeats.map(({ shard }) => shard),
        original_ids: repeats.map(({ originalId }) => originalId),
        traceparents: repeats.map(({ traceparent }) => traceparent),
        // The driver writes a Date in local time, whose offset may have seconds in the first centuries.
        event_times: timestamps(repeats.map(({ eventTime }) => eventTime)),
        key_id: USER_KEY,
        operation_id: operationId ?? null,
      });
    },

    /** Marks a delivery as a test. */
    async markTest({ day, deliveryId }: DeliveryKey) {
      await markTest(tx, { day, delivery_id: deliveryId });
    },
  };
}

/** Returns a function that reads the key of a user once: repeats are sealed with the key that opened their content. */
function keysOnce(tx: pg.ClientBase, unlock: Unlock): (userId: string) => Promise<SubjectKeys> {
  const read = new Map<string, Promise<SubjectKeys>>();
  return (userId) => {
    const keys = read.get(userId) ?? unlock([userId], tx);
    read.set(userId, keys);
    return keys;
  };
}

async function originalOf(
  tx: pg.ClientBase,
  webhookId: string,
  deliveryId: string,
): Promise<Standing | undefined> {
  const { rows } = await findOriginal(tx, placeOf(webhookId, deliveryId));
  const originalId = rows[0]?.original_id;
  if (originalId === undefined) return undefined;
  await lock(tx, `redeliver/${originalId}`);
  const [found] = (await readOriginal(tx, placeOf(webhookId, originalId))).rows;
  return found && { ...found, deliveryId: originalId };
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
  { webhook_id: 'wh', delivery_id: 'dlv', original_id: 'dlv' },
);

const readOriginal = statement<Omit<Standing, 'deliveryId'>>(
  'original',
  `select d.day::text, d.redacted_at is not null as "isRedacted", coalesce(${BODY_BYTES}, 0) as bytes,
          ${STANDING} as status
     from deliveries d ${STANDING_JOINS}
    where d.webhook_id = :webhook_id and d.delivery_id = :delivery_id
      and d.day between :first_day::date and :last_day::date`,
  { webhook_id: 'wh', delivery_id: 'dlv' },
);

interface ContentRow extends DeliveryContent {
  readonly bodyBytes: number | null;
  readonly keyId: string | null;
}

function toContent({ bodyBytes, keyId, ...row }: ContentRow, keys: SubjectKeys) {
  const { deliveryId, userId, body } = row;
  if (keyId !== null && !keys.has(userId)) return undefined;
  const stored = keyId === null ? body : keys.open(userId, body, bodyPlace(deliveryId));
  return { ...row, body: bodyIn(stored, bodyBytes) };
}

const readContents = statement<ContentRow>(
  'bodies_to_repeat',
  `select d.delivery_id as "deliveryId", d.message_id as "messageId", d.webhook_id as "webhookId",
          d.user_id as "userId", d.kind, d.is_test as "isTest", d.body, d.body_bytes as "bodyBytes",
          d.key_id as "keyId", d.traceparent, d.event_time as "eventTime"
     from unnest(:days::date[], :delivery_ids::uuid[]) with ordinality as o (day, delivery_id, n)
    cross join lateral (select * from deliveries d
                         where d.day = o.day and d.delivery_id = o.delivery_id limit 1 for share) d
    where d.redacted_at is null
    order by o.n`,
  { delivery_ids: 'dlv', deliveryId: 'dlv', messageId: 'msg', webhookId: 'wh' },
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
insert into pending (delivery_id, day, webhook_id, user_id, shard, attempt, status, next_at, is_replay)
select delivery_id, day, webhook_id, user_id, shard, 1, 'pending', now(), :operation_id::uuid is not null from again`,
  {
    delivery_ids: 'dlv',
    message_ids: 'msg',
    webhook_ids: 'wh',
    original_ids: 'dlv',
    operation_id: 'op',
  },
);

// A statement of its own: tests are rare, and all other events would pay for it.
const markTest = statement(
  'mark_test',
  'update deliveries set is_test = true where day = :day::date and delivery_id = :delivery_id',
  { delivery_id: 'dlv' },
);
