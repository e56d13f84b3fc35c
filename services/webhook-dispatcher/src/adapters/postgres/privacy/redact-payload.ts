import { AppError } from '@junction/errors';
import { inRetriedTransaction } from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import { daysAround, toStoredId } from '../stored-id.js';

/**
 * Redacts what a delivery sent and what came back, and the same of those that repeat it: they have one
 * payload. That it was made, attempted and how it ended stays. Gives false where there is no such
 * delivery. AppError `delivery_under_way` while one of them waits to be sent.
 */
export const redactPayload =
  (pool: pg.Pool) =>
  async (webhookId: string, deliveryId: string): Promise<boolean> =>
    inRetriedTransaction(pool, async (tx) => {
      const family = await familyOf(tx, toStoredId(webhookId), toStoredId(deliveryId));
      if (family.length === 0) return false;
      const { rowCount } = await tx.query(
        'select from pending where delivery_id = any ($1::uuid[]) limit 1',
        [family.flatMap(({ ids }) => ids)],
      );
      if (rowCount !== 0) throw underWay();
      for (const { day, ids } of family) await redactPayloads(tx, day, ids);
      return true;
    });

/** Deliveries that were filed on the same day. */
export interface DeliveriesOfDay {
  readonly day: string;
  readonly ids: readonly string[];
}

/** Redacts what was sent and what came back of deliveries that have ended. Again does no harm. */
export async function redactPayloads(
  tx: pg.PoolClient,
  day: string,
  ids: readonly string[],
): Promise<void> {
  await tx.query(
    `update deliveries set body = '', key_id = null, redacted_at = coalesce(redacted_at, now())
      where day = $1 and delivery_id = any ($2::uuid[])`,
    [day, ids],
  );
  await tx.query(
    `update attempts set answer = null, key_id = null
      where day = $1 and delivery_id = any ($2::uuid[])`,
    [day, ids],
  );
}

async function familyOf(
  tx: pg.PoolClient,
  webhookId: string,
  deliveryId: string,
): Promise<readonly DeliveriesOfDay[]> {
  const { rows } = await tx.query<DeliveriesOfDay>(
    `with asked as materialized (
       select day, coalesce(original_id, delivery_id) as original_id, delivery_id from deliveries
        where webhook_id = $1 and delivery_id = $2 and day between $3::date and $4::date
     ), original as (
       select d.day, d.delivery_id from asked
        cross join lateral (select day, delivery_id from deliveries d
                             where d.webhook_id = $1 and d.delivery_id = asked.original_id) d
     ), family as (
       select day, delivery_id from asked
       union select day, delivery_id from original
       union select r.day, r.delivery_id from asked join redeliveries r using (original_id)
     )
     select day::text, array_agg(delivery_id) as ids from family group by day`,
    [webhookId, deliveryId, ...daysAround(deliveryId)],
  );
  return rows;
}

const underWay = () =>
  new AppError(
    'conflict',
    'delivery_under_way',
    'This delivery, or one that repeats it, still waits for its next attempt and needs its payload.',
  );
