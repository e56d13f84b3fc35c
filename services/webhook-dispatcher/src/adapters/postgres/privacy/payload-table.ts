import type { Queryable } from '@junction/eventsourcing/postgres';
import type { DeliveriesOfDay } from '../../../application/privacy/ports.js';
import { all, some, table } from '../statement.js';
import { daysAround } from '../stored-id.js';

/** Bodies of requests and answers of deliveries. */
export const payloadTable = table({
  /** Returns the delivery, its original and all repeats, which share a payload. Empty: there is no such delivery. */
  async sharing(tx: Queryable, webhookId: string, deliveryId: string) {
    const [firstDay, lastDay] = daysAround(deliveryId);
    return findSharing(tx, { webhookId, deliveryId, firstDay, lastDay });
  },

  /** Redacts what was sent and what came back of deliveries that have ended. A repeated call does no harm. */
  async redact(tx: Queryable, deliveries: DeliveriesOfDay) {
    await redactDeliveries(tx, deliveries);
    await redactAttempts(tx, deliveries);
  },
});

const redactDeliveries = some<DeliveriesOfDay>(
  null,
  `update deliveries set body = '', body_bytes = null, key_id = null,
                         redacted_at = coalesce(redacted_at, now())
    where day = :day and delivery_id = any (:deliveryIds::uuid[])`,
  { deliveryIds: 'dlv' },
);

const redactAttempts = some<DeliveriesOfDay>(
  null,
  `update attempts set answer = null, key_id = null
    where day = :day and delivery_id = any (:deliveryIds::uuid[]) and answer is not null`,
  { deliveryIds: 'dlv' },
);

interface Sharing {
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly firstDay: string;
  readonly lastDay: string;
}

const findSharing = all<Sharing, DeliveriesOfDay>(
  null,
  `with asked as materialized (
     select day, coalesce(original_id, delivery_id) as original_id, delivery_id from deliveries
      where webhook_id = :webhookId and delivery_id = :deliveryId
        and day between :firstDay::date and :lastDay::date
   ), original as (
     select d.day, d.delivery_id from asked
      cross join lateral (select day, delivery_id from deliveries d
                           where d.webhook_id = :webhookId and d.delivery_id = asked.original_id) d
   ), family as (
     select day, delivery_id from asked
     union select day, delivery_id from original
     union select r.day, r.delivery_id from asked join redeliveries r using (original_id)
   )
   select day::text, array_agg(delivery_id) as "deliveryIds" from family group by day`,
  { webhookId: 'wh', deliveryId: 'dlv', deliveryIds: 'dlv' },
);
