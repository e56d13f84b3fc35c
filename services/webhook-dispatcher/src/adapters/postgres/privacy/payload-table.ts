import type pg from 'pg';
import type { DeliveriesOfDay, PayloadTable } from '../../../application/privacy/ports.js';
import { statement } from '../statement.js';
import { daysAround } from '../stored-id.js';

/** Makes the table of payloads, within a transaction. */
export const payloadTable = (tx: pg.ClientBase): PayloadTable => ({
  async sharing(webhookId, deliveryId) {
    const [first_day, last_day] = daysAround(deliveryId);
    const asked = { webhook_id: webhookId, delivery_id: deliveryId, first_day, last_day };
    return (await findSharing(tx, asked)).rows;
  },

  async redact({ day, deliveryIds }) {
    await redactDeliveries(tx, { day, delivery_ids: deliveryIds });
    await redactAttempts(tx, { day, delivery_ids: deliveryIds });
  },
});

const redactDeliveries = statement(
  null,
  `update deliveries set body = '', body_bytes = null, key_id = null,
                         redacted_at = coalesce(redacted_at, now())
    where day = :day and delivery_id = any (:delivery_ids::uuid[])`,
  { delivery_ids: 'dlv' },
);

const redactAttempts = statement(
  null,
  `update attempts set answer = null, key_id = null
    where day = :day and delivery_id = any (:delivery_ids::uuid[]) and answer is not null`,
  { delivery_ids: 'dlv' },
);

const findSharing = statement<DeliveriesOfDay>(
  null,
  `with asked as materialized (
     select day, coalesce(original_id, delivery_id) as original_id, delivery_id from deliveries
      where webhook_id = :webhook_id and delivery_id = :delivery_id
        and day between :first_day::date and :last_day::date
   ), original as (
     select d.day, d.delivery_id from asked
      cross join lateral (select day, delivery_id from deliveries d
                           where d.webhook_id = :webhook_id and d.delivery_id = asked.original_id) d
   ), family as (
     select day, delivery_id from asked
     union select day, delivery_id from original
     union select r.day, r.delivery_id from asked join redeliveries r using (original_id)
   )
   select day::text, array_agg(delivery_id) as "deliveryIds" from family group by day`,
  { webhook_id: 'wh', delivery_id: 'dlv', deliveryIds: 'dlv' },
);
