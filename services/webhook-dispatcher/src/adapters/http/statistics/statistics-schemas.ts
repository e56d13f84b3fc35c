import { z } from 'zod';
import { STEPS } from '../../../application/statistics/ports.js';
import { RESPONSES } from '../../../domain/statistics/marks.js';
import { code, deliveryId, eventType, marks, webhookId } from '../../wire-fields.js';
import { isWebhookId } from '../ids.js';
import { idWith, inOrder, moment, NOT_IN_ORDER } from '../schemas.js';

const DAY_MS = 86_400_000;
const STATISTICS_DAYS_MAX = 31;

const step = z
  .enum(STEPS)
  .describe('Counts by kind and response in `steps` too, so far apart; 5m within a day at most.');

const spanFields = { from: moment.optional(), to: moment.optional(), step: step.optional() };

interface GivenSpan {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** Without a span: the last day. */
function withSpan<Query extends GivenSpan>(query: Query) {
  const { to = new Date(), from = new Date(to.getTime() - DAY_MS) } = query;
  return { ...query, from, to };
}

const isCounted = ({ from, to }: { readonly from: Date; readonly to: Date }) =>
  to.getTime() - from.getTime() <= STATISTICS_DAYS_MAX * DAY_MS;
const NOT_COUNTED = {
  path: ['from'],
  error: `must be at most ${STATISTICS_DAYS_MAX} days before to.`,
};

type Span = { readonly from: Date; readonly to: Date; readonly step?: string | undefined };
const isStepped = ({ from, to, step }: Span) =>
  step !== '5m' || to.getTime() - from.getTime() <= DAY_MS;
const NOT_STEPPED = {
  path: ['step'],
  error: 'of 5m goes with at most one day between from and to.',
};

export const statisticsQuery = z
  .strictObject(spanFields)
  .transform(withSpan)
  .refine(inOrder, NOT_IN_ORDER)
  .refine(isCounted, NOT_COUNTED)
  .refine(isStepped, NOT_STEPPED);

const NOT_BOTH = { path: ['webhook_id'], error: 'must not be there beside webhook_ids.' };
const WEBHOOK_IDS_MAX = 100;

const webhookIds = z
  .string()
  .transform((text) => text.split(','))
  .refine((ids) => ids.every(isWebhookId), 'must be ids that begin with wh_, with commas between.')
  .refine((ids) => ids.length <= WEBHOOK_IDS_MAX, `must be at most ${WEBHOOK_IDS_MAX} ids.`)
  .describe(
    `Up to ${WEBHOOK_IDS_MAX}, with commas between: counts these alone, and each by itself in \`webhooks\`. Those that the caller does not have are left out.`,
  );

export const allStatisticsQuery = z
  .strictObject({
    ...spanFields,
    webhook_id: idWith(isWebhookId, 'wh').optional().describe('Counts this one alone.'),
    webhook_ids: webhookIds.optional(),
  })
  .refine((query) => !(query.webhook_id && query.webhook_ids), NOT_BOTH)
  .transform(withSpan)
  .refine(inOrder, NOT_IN_ORDER)
  .refine(isCounted, NOT_COUNTED)
  .refine(isStepped, NOT_STEPPED);

const counts = {
  attempts: z.int(),
  succeeded: z.int(),
  failed: z.int(),
  filtered: z.int().describe('Events that the filter dropped, so that no delivery was made.'),
  success_rate: z.number().nullable().describe('0 to 1.'),
  latency_ms: z.object({
    p50: z.number().nullable(),
    p90: z.number().nullable(),
    p95: z.number().nullable(),
    p99: z.number().nullable(),
  }),
};

const numbers = {
  items: z.array(z.object({ hour: z.date(), ...counts })).describe('By hour, oldest first.'),
  total: z.object(counts),
  waiting: z.int().describe('Deliveries that wait for an attempt now; 10000 where there are more.'),
  held: z
    .int()
    .describe(
      'Deliveries that are held, and were not sent again since (`status=held&sent_again=false`); 10000 where there are more.',
    ),
  last_attempt: z
    .object({
      webhook_id: webhookId,
      delivery_id: deliveryId,
      at: z.date(),
      result: code.meta({ example: 'http_500' }),
    })
    .nullable()
    .describe('The attempt that began last, within the span or before; null: none is known.'),
};

const steps = z
  .array(
    z.object({
      at: z.date(),
      event_type: eventType,
      response: z
        .enum(RESPONSES)
        .describe('The class of the status; none: no answer came. 2xx has succeeded.'),
      attempts: z.int(),
    }),
  )
  .readonly()
  .optional()
  .describe('Attempts by time, kind and response, where `step` is given; oldest first.');

export const statistics = z
  .object({
    from: z.date(),
    to: z.date(),
    ...numbers,
    steps,
    webhooks: z
      .array(z.object({ webhook_id: webhookId, ...numbers, marks }))
      .optional()
      .describe('Each webhook by itself, where `webhook_ids` names some.'),
  })
  .meta({ id: 'Statistics' });
