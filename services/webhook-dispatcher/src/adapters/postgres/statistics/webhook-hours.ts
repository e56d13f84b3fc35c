import type pg from 'pg';
import type { WebhookHour } from '../../../application/statistics/ports.js';
import { statement } from '../statement.js';

/** The statistics of webhooks, by hour. */
export const webhookHours = (pool: pg.Pool) => ({
  /** Adds what was counted to what is stored. Sorted, so that two replicas never deadlock. */
  async add(hours: readonly WebhookHour[]): Promise<void> {
    const sorted = hours.toSorted(byWebhookAndHour);
    await addHours(pool, {
      webhook_ids: sorted.map(({ webhookId }) => webhookId),
      hours: sorted.map(({ hour }) => hour),
      user_ids: sorted.map(({ userId }) => userId),
      succeeded: sorted.map(({ succeeded }) => succeeded),
      failed: sorted.map(({ failed }) => failed),
      latencies: sorted.map(({ latency }) => `{${latency.join()}}`),
    });
  },

  /** The hours of each webhook that lie in the span and in which something was attempted, the oldest first. */
  async hours(
    webhookIds: readonly string[],
    from: Date,
    to: Date,
  ): Promise<readonly WebhookHour[]> {
    const { rows } = await readHours(pool, { webhook_ids: webhookIds, from, to });
    return rows;
  },

  /** Counts the deliveries of these webhooks that wait for an attempt, up to WAITING_MAX. */
  async waiting(webhookIds: readonly string[]): Promise<number> {
    const { rows } = await countWaiting(pool, { webhook_ids: webhookIds, max: WAITING_MAX });
    return rows[0]?.waiting ?? 0;
  },

  /** The same of each of them. */
  async waitingOfEach(webhookIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { rows } = await countWaitingOfEach(pool, { webhook_ids: webhookIds, max: WAITING_MAX });
    return new Map(rows.map(({ webhookId, waiting }) => [webhookId, waiting]));
  },
});

const byWebhookAndHour = (a: WebhookHour, b: WebhookHour): number =>
  a.webhookId === b.webhookId
    ? a.hour.getTime() - b.hour.getTime()
    : a.webhookId < b.webhookId
      ? -1
      : 1;

const readHours = statement<WebhookHour>(
  'webhook_hours',
  `select webhook_id as "webhookId", hour, user_id as "userId", succeeded, failed, latency from webhook_hours
    where webhook_id = any (:webhook_ids::uuid[]) and hour >= :from and hour < :to order by hour`,
  { webhook_ids: 'wh', webhookId: 'wh' },
);

/** A queue may hold millions: as many as this are counted within milliseconds. */
const WAITING_MAX = 10_000;

const countWaiting = statement<{ readonly waiting: number }>(
  'webhook_waiting',
  `select count(*)::int as waiting
     from (select from pending where webhook_id = any (:webhook_ids::uuid[]) limit :max) as counted`,
  { webhook_ids: 'wh' },
);

const countWaitingOfEach = statement<{ readonly webhookId: string; readonly waiting: number }>(
  'webhook_waiting_of_each',
  `select webhook_id as "webhookId",
          (select count(*)::int
             from (select from pending where pending.webhook_id = w.webhook_id limit :max) as counted) as waiting
     from unnest(:webhook_ids::uuid[]) as w (webhook_id)`,
  { webhook_ids: 'wh', webhookId: 'wh' },
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
  { webhook_ids: 'wh' },
);
