import type pg from 'pg';
import type { WebhookHour } from '../../../application/statistics.js';
import { statement } from '../statement.js';

/** The statistics of webhooks, by hour. */
export const webhookHours = (pool: pg.Pool) => ({
  /** Adds what was counted to what is stored. Sorted, so that two replicas never deadlock. */
  async add(hours: readonly WebhookHour[]): Promise<void> {
    const sorted = hours.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    await addHours(pool, {
      webhook_ids: sorted.map(({ webhookId }) => webhookId),
      hours: sorted.map(({ hour }) => hour),
      user_ids: sorted.map(({ userId }) => userId),
      succeeded: sorted.map(({ succeeded }) => succeeded),
      failed: sorted.map(({ failed }) => failed),
      latencies: sorted.map(({ latency }) => `{${latency.join()}}`),
    });
  },

  /** The hours that lie in the span and in which something was attempted, the oldest first. */
  async read(webhookId: string, from: Date, to: Date): Promise<readonly WebhookHour[]> {
    const { rows } = await readHours(pool, { webhook_id: webhookId, from, to });
    return rows.map((row) => ({ ...row, webhookId }));
  },
});

const keyOf = ({ webhookId, hour }: WebhookHour): string => webhookId + hour.toISOString();

const readHours = statement<Omit<WebhookHour, 'webhookId'>>(
  'webhook_hours',
  `select hour, user_id as "userId", succeeded, failed, latency from webhook_hours
    where webhook_id = :webhook_id and hour >= :from and hour < :to order by hour`,
);

const addHours = statement(
  'webhook_hours_add',
  `
insert into webhook_hours (webhook_id, hour, user_id, succeeded, failed, latency)
select webhook_id, hour, user_id, succeeded, failed, latency::integer[]
  from unnest(:webhook_ids::uuid[], :hours::timestamptz[], :user_ids::uuid[], :succeeded::int[],
              :failed::int[], :latencies::text[])
    as h (webhook_id, hour, user_id, succeeded, failed, latency)
on conflict (webhook_id, hour) do update
   set succeeded = webhook_hours.succeeded + excluded.succeeded,
       failed = webhook_hours.failed + excluded.failed,
       latency = (select array_agg(coalesce(old, 0) + coalesce(new, 0) order by bucket)
                    from unnest(webhook_hours.latency, excluded.latency) with ordinality
                      as both_of (old, new, bucket))`,
);
