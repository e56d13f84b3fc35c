import { AppError } from '@junction/errors';
import { inRetriedTransaction } from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import { statement } from '../statement.js';
import { daysAround } from '../stored-id.js';

/**
 * Redacts what a delivery sent and what came back, and the same of those that repeat it: they have one
 * payload. That it was made, attempted and how it ended stays. Gives false where there is no such
 * delivery. AppError `delivery_under_way` while one of them waits to be sent.
 */
export const redactPayload =
  (pool: pg.Pool) =>
  async (webhookId: string, deliveryId: string): Promise<boolean> =>
    inRetriedTransaction(pool, async (tx) => {
      const [first_day, last_day] = daysAround(deliveryId);
      const asked = { webhook_id: webhookId, delivery_id: deliveryId, first_day, last_day };
      const { rows: family } = await FAMILY(tx, asked);
      if (family.length === 0) return false;
      const { rowCount } = await WAITING(tx, {
        delivery_ids: family.flatMap(({ delivery_ids: ids }) => ids),
      });
      if (rowCount !== 0) throw underWay();
      for (const deliveries of family) await redactPayloads(tx, deliveries);
      return true;
    });

/** Deliveries that were filed on the same day. */
export interface DeliveriesOfDay {
  readonly day: string;
  readonly delivery_ids: readonly string[];
}

/** Redacts what was sent and what came back of deliveries that have ended. Again does no harm. */
export async function redactPayloads(
  tx: pg.PoolClient,
  { day, delivery_ids }: DeliveriesOfDay,
): Promise<void> {
  await REDACT_DELIVERIES(tx, { day, delivery_ids });
  await REDACT_ATTEMPTS(tx, { day, delivery_ids });
}

const REDACT_DELIVERIES = statement(
  null,
  `update deliveries set body = '', body_bytes = null, key_id = null,
                         redacted_at = coalesce(redacted_at, now())
    where day = :day and delivery_id = any (:delivery_ids::uuid[])`,
);

const REDACT_ATTEMPTS = statement(
  null,
  `update attempts set answer = null, key_id = null
    where day = :day and delivery_id = any (:delivery_ids::uuid[])`,
);

const WAITING = statement(
  null,
  'select from pending where delivery_id = any (:delivery_ids::uuid[]) limit 1',
);

const FAMILY = statement<DeliveriesOfDay>(
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

const underWay = () =>
  new AppError(
    'delivery_under_way',
    'This delivery, or one that repeats it, still waits for its next attempt and needs its payload.',
  );
