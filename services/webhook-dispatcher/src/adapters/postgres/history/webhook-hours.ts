import type pg from 'pg';
import type { WebhookHour } from '../../../application/statistics.js';
import { toStoredId } from '../stored-id.js';

/** The statistics of webhooks, by hour. */
export const webhookHours = (pool: pg.Pool) => ({
  /** Adds what was counted to what is stored. Sorted, so that two replicas never deadlock. */
  async add(hours: readonly WebhookHour[]): Promise<void> {
    const sorted = hours.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    await pool.query({
      name: 'webhook_hours_add',
      text: ADD,
      values: [
        sorted.map(({ webhookId }) => toStoredId(webhookId)),
        sorted.map(({ hour }) => hour),
        sorted.map(({ userId }) => userId),
        sorted.map(({ succeeded }) => succeeded),
        sorted.map(({ failed }) => failed),
        sorted.map(({ latency }) => `{${latency.join()}}`),
      ],
    });
  },

  /** The hours that lie in the span and in which something was attempted, the oldest first. */
  async read(webhookId: string, from: Date, to: Date): Promise<readonly WebhookHour[]> {
    const { rows } = await pool.query<Omit<WebhookHour, 'webhookId'>>({
      name: 'webhook_hours',
      text: `select hour, user_id as "userId", succeeded, failed, latency from webhook_hours
              where webhook_id = $1 and hour >= $2 and hour < $3 order by hour`,
      values: [toStoredId(webhookId), from, to],
    });
    return rows.map((row) => ({ ...row, webhookId }));
  },
});

const keyOf = ({ webhookId, hour }: WebhookHour): string => webhookId + hour.toISOString();

const ADD = `
insert into webhook_hours (webhook_id, hour, user_id, succeeded, failed, latency)
select webhook_id, hour, user_id, succeeded, failed, latency::integer[]
  from unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::int[], $5::int[], $6::text[])
    as h (webhook_id, hour, user_id, succeeded, failed, latency)
on conflict (webhook_id, hour) do update
   set succeeded = webhook_hours.succeeded + excluded.succeeded,
       failed = webhook_hours.failed + excluded.failed,
       latency = (select array_agg(coalesce(old, 0) + coalesce(new, 0) order by bucket)
                    from unnest(webhook_hours.latency, excluded.latency) with ordinality
                      as both_of (old, new, bucket))`;
