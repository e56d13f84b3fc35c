import type pg from 'pg';
import type {
  CountedHour,
  HourOfWebhook,
  LastAttempt,
  Span,
  Step,
  StepCount,
  SteppedSpan,
  SummedHour,
} from '../../../application/statistics/ports.js';
import { LATENCY_BUCKETS } from '../../../domain/statistics/latency.js';
import { MARKS_MAX } from '../../../domain/statistics/marks.js';
import { marksOfEach } from '../marks.js';
import { all, statement } from '../statement.js';
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
      marks: sorted.map(({ marks }) => marks),
      responses: sorted.map(({ responses }) => JSON.stringify(responses)),
      five_minutes: sorted.map(({ fiveMinutes }) => JSON.stringify(fiveMinutes)),
    });
  },

  /** Sums the hours of these webhooks that lie in the span and in which something was counted, the oldest first. */
  hours: async (webhookIds: readonly string[], { from, to }: Span) =>
    sumHours(pool, { webhookIds, from, to }),

  /** The same for each of these webhooks by itself. */
  hoursOfEach: async (webhookIds: readonly string[], { from, to }: Span) =>
    readHours(pool, { webhookIds, from, to }),

  /** Returns the last attempt for each of these webhooks that has one, the newest first. */
  lastAttempts: async (webhookIds: readonly string[]) => readLastAttempts(pool, { webhookIds }),

  /** Counts the responses to these webhooks together by time and kind, the oldest first. */
  async responses(webhookIds: readonly string[], { from, to, step }: SteppedSpan) {
    const read = step === '5m' ? readFiveMinutes : readResponses;
    return read(pool, { webhookIds, from, to, step: WIDTHS[step] });
  },

  marksOfEach: async (webhookIds: readonly string[]) => marksOfEach(pool, webhookIds),
});

type OfWebhooks = { readonly webhookIds: readonly string[] };

const byWebhookAndHour = (a: CountedHour, b: CountedHour): number =>
  a.webhookId === b.webhookId
    ? a.hour.getTime() - b.hour.getTime()
    : a.webhookId < b.webhookId
      ? -1
      : 1;

/** Sums of the buckets one by one: an array as a whole has no sum. */
const LATENCY = Array.from(
  { length: LATENCY_BUCKETS },
  (_, n) => `coalesce(sum(latency[${n + 1}]), 0)`,
);
const SPAN = 'webhook_id = any (:webhookIds::uuid[]) and hour >= :from and hour < :to';

const sumHours = all<OfWebhooks & Span, SummedHour>(
  'webhook_hours_summed',
  `select hour, sum(succeeded)::int as succeeded, sum(failed)::int as failed, sum(filtered)::int as filtered,
          array[${LATENCY.join()}]::int[] as latency
     from webhook_hours where ${SPAN} group by hour order by hour`,
  { webhookIds: 'wh' },
);

const readHours = all<OfWebhooks & Span, HourOfWebhook>(
  'webhook_hours',
  `select webhook_id as "webhookId", hour, succeeded, failed, filtered, latency
     from webhook_hours where ${SPAN} order by hour`,
  { webhookIds: 'wh', webhookId: 'wh' },
);

const readLastAttempts = all<OfWebhooks, LastAttempt>(
  'webhook_last_attempts',
  `select w.webhook_id, h.last_delivery_id as delivery_id, h.last_at as at, h.last_result as result
     from unnest(:webhookIds::uuid[]) as w (webhook_id)
    cross join lateral (select * from webhook_hours
                         where webhook_id = w.webhook_id and last_at is not null
                         order by hour desc limit 1) h
    order by at desc`,
  { webhookIds: 'wh', webhook_id: 'wh', delivery_id: 'dlv' },
);

const WIDTHS: Readonly<Record<Step, string>> = { '5m': '5 min', '1h': '1 h', '6h': '6 h' };

type Stepped = OfWebhooks & Span & { readonly step: string };

const readResponses = all<Stepped, StepCount>(
  'webhook_responses',
  `select date_bin(:step::interval, hour, 'epoch') as at, split_part(key, ' ', 1) as event_type,
          split_part(key, ' ', 2) as response, sum(value::int)::int as attempts
     from webhook_hours cross join lateral jsonb_each_text(responses)
    where webhook_id = any (:webhookIds::uuid[]) and hour >= :from and hour < :to
    group by 1, 2, 3 order by 1, 2, 3`,
  { webhookIds: 'wh' },
);

const readFiveMinutes = all<Stepped, StepCount>(
  'webhook_five_minutes',
  `select at, split_part(key, ' ', 2) as event_type, split_part(key, ' ', 3) as response,
          sum(value::int)::int as attempts
     from webhook_hours cross join lateral jsonb_each_text(five_minutes)
    cross join lateral (select hour + split_part(key, ' ', 1)::int * :step::interval as at) as began
    where webhook_id = any (:webhookIds::uuid[]) and hour > :from::timestamptz - interval '1 hour'
      and at >= :from and at < :to
    group by 1, 2, 3 order by 1, 2, 3`,
  { webhookIds: 'wh' },
);

/** Sums two objects of counts, key by key. */
const summed = (column: string) => `(
         select coalesce(jsonb_object_agg(key, count), '{}')
           from (select key, sum(value::int) as count
                   from (values (webhook_hours.${column}), (excluded.${column})) as both_of (counts)
                  cross join lateral jsonb_each_text(counts)
                  group by key) as summed)`;

const addHours = statement(
  'webhook_hours_add',
  `
insert into webhook_hours (webhook_id, hour, user_id, succeeded, failed, filtered, latency,
                           last_at, last_delivery_id, last_result, marks, responses, five_minutes)
select webhook_id, hour, user_id, succeeded, failed, filtered, latency::integer[],
       last_at, last_delivery_id, last_result, marks, responses, five_minutes
  from unnest(:webhook_ids::uuid[], :hours::timestamptz[], :user_ids::uuid[], :succeeded::int[],
              :failed::int[], :filtered::int[], :latencies::text[], :last_at::timestamptz[],
              :last_delivery_ids::uuid[], :last_results::text[], :marks::text[], :responses::jsonb[],
              :five_minutes::jsonb[])
    as h (webhook_id, hour, user_id, succeeded, failed, filtered, latency,
          last_at, last_delivery_id, last_result, marks, responses, five_minutes)
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
                      as both_of (old, new, bucket)),
       marks = right(webhook_hours.marks || excluded.marks, ${MARKS_MAX}),
       responses = ${summed('responses')},
       five_minutes = ${summed('five_minutes')}`,
  { webhook_ids: 'wh' },
);
