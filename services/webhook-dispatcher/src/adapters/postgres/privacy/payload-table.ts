import type pg from 'pg';
import type { DeliveriesOfDay, PayloadTable } from '../../../application/privacy/ports.js';
import { statement } from '../statement.js';
import { daysAround } from '../stored-id.js';

/** Makes the table of payloads, within a transaction. */
export const payloadTable = (tx: pg.ClientBase): PayloadTable => ({
  async sharing(webhookId, deliveryId) {
    const [first_day, last_day] = daysAround(deliveryId);
    const asked = { webhook_id: webhookId, delivery_id: deliveryId, first_day, last_day };
    return (await findSharing(tx, asked)).rows.map(toDeliveriesOfDay);
  },

  async redact({ day, deliveryIds }) {
    await redactDeliveries(tx, { day, delivery_ids: deliveryIds });
    await redactAttempts(tx, { day, delivery_ids: deliveryIds });
  },
});

export interface DeliveriesOfDayRow {
  readonly day: string;
  readonly delivery_ids: readonly string[];
}

export const toDeliveriesOfDay = ({ day, delivery_ids }: DeliveriesOfDayRow): DeliveriesOfDay => ({
  day,
  deliveryIds: delivery_ids,
});

const redactDeliveries = statement(
  null,
  `update deliveries set body = '', body_bytes = null, key_id = null,
                         redacted_at = coalesce(redacted_at, now())
    where day = :day and delivery_id = any (:delivery_ids::uuid[])`,
);

const redactAttempts = statement(
  null,
  `update attempts set answer = null, key_id = null
    where day = :day and delivery_id = any (:delivery_ids::uuid[])`,
);

const findSharing = statement<DeliveriesOfDayRow>(
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
   select day::text, array_agg(delivery_id) as delivery_ids from family group by day`,
);
