import type { Queryable } from '@junction/eventsourcing/postgres';
import type { DeliveryFilter } from '../../http/history/history-schemas.js';
import { STATUS } from '../sending-pauses.js';
import { LAST_WORD, REPEATS } from '../standing.js';
import { statement } from '../statement.js';
import { timeOfId } from '../stored-id.js';
import type { DeliverySummary } from './history-reads.js';

/** Day and id by which the row of a delivery is found. */
export interface DeliveryKey {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly delivery_id: string;
}

/** Key of a delivery that may match a filter. */
export interface FoundKey extends DeliveryKey {
  /** Whether the delivery has one attempt alone, a success that is stored with it. Undefined: not known. */
  readonly is_whole?: boolean;
}

/**
 * Returns the state of these deliveries, in the order of the keys. A delivery that waits has a row in `pending`; the
 * state of any other is its deciding outcome.
 */
export async function deliveriesAt(
  db: Queryable,
  keys: readonly DeliveryKey[],
): Promise<DeliverySummary[]> {
  if (keys.length === 0) return [];
  const { rows } = await readDeliveries(db, {
    days: keys.map(({ day }) => day),
    delivery_ids: keys.map(({ delivery_id }) => delivery_id),
    all_days: [...new Set(keys.map(({ day }) => day))],
  });
  const found = new Map(rows.map((row) => [row.delivery_id, row]));
  return keys.flatMap(({ delivery_id: id }) => {
    const row = found.get(id);
    return row ? [{ ...row, created_at: timeOfId(id) }] : [];
  });
}

/**
 * Deliveries are looked up one by one, by key: joined as a whole, a day of millions might be read from end to end. The
 * days are named apart from the keys, so that no other partition is planned for, opened or locked: planning for a month
 * of partitions took ten times as long as reading.
 */
const readDeliveries = statement<Omit<DeliverySummary, 'created_at'>>(
  'deliveries_at',
  `
select d.delivery_id, d.webhook_id, w.url as webhook_url, w.description as webhook_description, d.message_id,
       d.kind as event_type,
       coalesce(p.status, o.status, 'pending') as status,
       case when p.delivery_id is null then o.reason else a.result end as reason,
       coalesce(a.n, 0) as attempt_count, a.http_status as response_status, d.event_time,
       -- The next attempt is no earlier than the circuit lets it be, and never in the past. A paused webhook has none.
       case when p.next_at is not null and w.status is distinct from 'paused' then greatest(p.next_at, w.probe_at, now()) end as next_attempt_at,
       case when w.status = 'active' and w.probe_at > now() then w.probe_at end as rests_until,
       case when p.delivery_id is null then o.at end as ended_at, d.original_id as redelivery_of, d.operation_id,
       d.is_test is true as test, d.redacted_at as payload_expunged_at
  from unnest(:days::date[], :delivery_ids::uuid[]) as k (day, delivery_id)
 cross join lateral (select * from deliveries d
                      where d.day = k.day and d.delivery_id = k.delivery_id
                        and d.day = any (:all_days::date[]) limit 1) d
  left join lateral (select delivery_id, status, next_at from pending p
                      where p.delivery_id = d.delivery_id limit 1) p on true
  left join lateral (select ${STATUS} as status, w.url, w.description, c.probe_at
                       from webhooks w
                       left join circuits c on c.webhook_id = w.webhook_id and p.delivery_id is not null
                      where w.webhook_id = d.webhook_id limit 1) w on true
  left join lateral (select status, reason, at from endings o
                      where o.day = d.day and o.delivery_id = d.delivery_id
                        and o.day = any (:all_days::date[])
                      order by ${LAST_WORD} limit 1) o on true
  left join lateral (select n, result, http_status from attempts_made a
                      where a.day = d.day and a.delivery_id = d.delivery_id
                        and a.day = any (:all_days::date[])
                      order by n desc limit 1) a on true`,
  {
    delivery_ids: 'dlv',
    delivery_id: 'dlv',
    webhook_id: 'wh',
    message_id: 'msg',
    redelivery_of: 'dlv',
    operation_id: 'op',
  },
);

/** Keys of a page, as a rule: it costs no more to look at the deliveries themselves. */
const FEW = 2;

/**
 * Returns those of the keys whose deliveries may pass the filter, as far as a look-up or two of each can tell: a filter
 * that nothing passes would else read five times as much of each. All of them are sent again as the filter says.
 */
export async function narrowed<Key extends FoundKey>(
  db: Queryable,
  keys: readonly Key[],
  { limit, status, sent_again, event_type, message_id, http_status }: DeliveryFilter,
): Promise<readonly Key[]> {
  const isSuccess = status?.length === 1 && status[0] === 'succeeded';
  const isNarrow =
    isSuccess || event_type !== undefined || message_id !== undefined || http_status !== undefined;
  const isMuch = keys.length > FEW * limit && isNarrow;
  if (keys.length === 0 || (sent_again === undefined && !isMuch)) return keys;
  const { rows } = await narrow(db, {
    days: keys.map(({ day }) => day),
    delivery_ids: keys.map(({ delivery_id }) => delivery_id),
    // A source that does not say so has not narrowed by answers either, and leaves that to the rows.
    whole: keys.map(({ is_whole = true }) => is_whole),
    all_days: [...new Set(keys.map(({ day }) => day))],
    is_success: isMuch && isSuccess,
    kind: isMuch ? (event_type ?? null) : null,
    message_id: isMuch ? (message_id ?? null) : null,
    lowest: isMuch ? (http_status?.min ?? null) : null,
    highest: isMuch ? (http_status?.max ?? null) : null,
    sent_again: sent_again ?? null,
  });
  const left = new Set(rows.map(({ delivery_id }) => delivery_id));
  return keys.filter(({ delivery_id }) => left.has(delivery_id));
}

const narrow = statement<{ readonly delivery_id: string }>(
  'deliveries_narrowed',
  `
select k.delivery_id
  from unnest(:days::date[], :delivery_ids::uuid[], :whole::boolean[]) as k (day, delivery_id, is_whole)
  left join lateral (select delivery_id, original_id, kind, message_id from deliveries d
                      where coalesce(:kind::text, :message_id::uuid::text, :sent_again::boolean::text) is not null
                        and d.day = k.day and d.delivery_id = k.delivery_id
                        and d.day = any (:all_days::date[]) limit 1) d on true
 where (:kind::text is null or d.kind = :kind)
   and (:message_id::uuid is null or d.message_id = :message_id)
   and (k.is_whole or not :is_success::boolean
        or (select status from endings e
             where e.day = k.day and e.delivery_id = k.delivery_id and e.day = any (:all_days::date[])
               and e.status = 'succeeded' limit 1) is not null)
   and (k.is_whole or :lowest::int is null
        or (select http_status from attempts a
             where a.day = k.day and a.delivery_id = k.delivery_id and a.day = any (:all_days::date[])
             order by n desc limit 1) between :lowest and :highest)
   and (:sent_again::boolean is null
        or :sent_again = ((select r.original_id from redeliveries r where ${REPEATS} limit 1) is not null))`,
  { delivery_ids: 'dlv', delivery_id: 'dlv', message_id: 'msg' },
);
