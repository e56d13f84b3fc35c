import type pg from 'pg';
import type {
  CountedHour,
  LastAttempt,
  WebhookHour,
} from '../../../application/statistics/ports.js';
import { statement } from '../statement.js';
import { toStoredId } from '../stored-id.js';

/** The statistics of webhooks, by hour. */
export const webhookHours = (pool: pg.Pool) => ({
  /** Adds what was counted to what is stored. Sorted, so that two replicas never deadlock. */
  async add(hours: readonly CountedHour[]): Promise<void> {
    const sorted = hours.toSorted(byWebhookAndHour);
    await addHours(pool, {
      webhook_ids: sorted.map(({ webhookId }) => webhookId),
      hours: sorted.map(({ hour }) => hour),
      user_ids: sorted.map(({ userId }) => userId),
      succeeded: sorted.map(({ succeeded }) => succeeded),
      failed: sorted.map(({ failed }) => failed),
      filtered: sorted.map(({ filtered }) => filtered),
      latencies: sorted.map(({ latency }) => `{${latency.join()}}`),
      last_at: sorted.map(({ lastAt }) => lastAt),
      last_delivery_ids: sorted.map(({ lastDeliveryId: id }) => id && toStoredId(id)),
      last_results: sorted.map(({ lastResult }) => lastResult),
    });
  },

  /** The hours of each webhook that lie in the span and in which something was counted, the oldest first. */
  async hours(
    webhookIds: readonly string[],
    from: Date,
    to: Date,
  ): Promise<readonly WebhookHour[]> {
    const { rows } = await readHours(pool, { webhook_ids: webhookIds, from, to });
    return rows;
  },

  /** Returns the last attempt for each of these webhooks that has one, the newest first. */
  async lastAttempts(webhookIds: readonly string[]): Promise<readonly LastAttempt[]> {
    const { rows } = await readLastAttempts(pool, { webhook_ids: webhookIds });
    return rows;
  },
});

const byWebhookAndHour = (a: CountedHour, b: CountedHour): number =>
  a.webhookId === b.webhookId
    ? a.hour.getTime() - b.hour.getTime()
    : a.webhookId < b.webhookId
      ? -1
      : 1;

const readHours = statement<WebhookHour>(
  'webhook_hours',
  `select webhook_id as "webhookId", hour, user_id as "userId", succeeded, failed, filtered, latency from webhook_hours
    where webhook_id = any (:webhook_ids::uuid[]) and hour >= :from and hour < :to order by hour`,
  { webhook_ids: 'wh', webhookId: 'wh' },
);

const readLastAttempts = statement<LastAttempt>(
  'webhook_last_attempts',
  `select w.webhook_id as "webhookId", h.last_delivery_id as "deliveryId", h.last_at as at, h.last_result as result
     from unnest(:webhook_ids::uuid[]) as w (webhook_id)
    cross join lateral (select * from webhook_hours
                         where webhook_id = w.webhook_id and last_at is not null
                         order by hour desc limit 1) h
    order by at desc`,
  { webhook_ids: 'wh', webhookId: 'wh', deliveryId: 'dlv' },
);

const addHours = statement(
  'webhook_hours_add',
  `
insert into webhook_hours (webhook_id, hour, user_id, succeeded, failed, filtered, latency,
                           last_at, last_delivery_id, last_result)
select webhook_id, hour, user_id, succeeded, failed, filtered, latency::integer[], last_at, last_delivery_id, last_result
  from unnest(:webhook_ids::uuid[], :hours::timestamptz[], :user_ids::uuid[], :succeeded::int[],
              :failed::int[], :filtered::int[], :latencies::text[], :last_at::timestamptz[],
              :last_delivery_ids::uuid[], :last_results::text[])
    as h (webhook_id, hour, user_id, succeeded, failed, filtered, latency, last_at, last_delivery_id, last_result)
on conflict (webhook_id, hour) do update
   set succeeded = webhook_hours.succeeded + excluded.succeeded,
       failed = webhook_hours.failed + excluded.failed,
       filtered = webhook_hours.filtered + excluded.filtered,
       (last_at, last_delivery_id, last_result) = (
         select * from (values (webhook_hours.last_at, webhook_hours.last_delivery_id, webhook_hours.last_result),
                               (excluded.last_at, excluded.last_delivery_id, excluded.last_result)) as of_both (at)
          order by at desc nulls last limit 1),
       latency = (select array_agg(coalesce(old, 0) + coalesce(new, 0) order by bucket)
                    from unnest(webhook_hours.latency, excluded.latency) with ordinality
                      as both_of (old, new, bucket))`,
  { webhook_ids: 'wh' },
);
