import { z } from 'zod';
import { REPLAYABLE } from '../../../application/replaying/ports.js';
import { isMessageId, isOperationId, isWebhookId } from '../ids.js';
import { filter } from '../webhooks/filter-schema.js';
import {
  cursorOf,
  events,
  idWith,
  inOrder,
  kind,
  limit,
  moment,
  NOT_IN_ORDER,
} from '../webhooks/webhook-schemas.js';

const DAY_MS = 86_400_000;
const STATISTICS_DAYS_MAX = 31;

/** Without `outcomes`: all that did not get through, and is not tried again by itself. */
export const replayBody = z
  .strictObject({
    from: moment.refine((from) => from.getTime() < Date.now(), 'must lie in the past.'),
    to: moment,
    kinds: z.array(kind).min(1).max(100).optional(),
    outcomes: z
      .array(z.enum(REPLAYABLE))
      .min(1)
      .max(REPLAYABLE.length)
      .default(['held', 'exhausted', 'refused']),
    confirm: z.boolean().default(false),
  })
  .refine(inOrder, NOT_IN_ORDER);

export const operationsQuery = z.strictObject({
  cursor: cursorOf(isOperationId),
  limit,
  webhook_id: idWith(isWebhookId, 'wh').optional(),
});

/** Without `events`: every kind. */
export const filterPreviewBody = z.strictObject({ filter, events: events.optional() });

export const testBody = z.strictObject({ kind });

export const noBody = z.strictObject({});

const spanFields = { from: moment.optional(), to: moment.optional() };

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

export const statisticsQuery = z
  .strictObject(spanFields)
  .transform(withSpan)
  .refine(inOrder, NOT_IN_ORDER)
  .refine(isCounted, NOT_COUNTED);

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
  .strictObject({ ...spanFields, webhook_ids: webhookIds.optional() })
  .transform(withSpan)
  .refine(inOrder, NOT_IN_ORDER)
  .refine(isCounted, NOT_COUNTED);

const MICROSECONDS = /^\d{1,17}$/;

export const eventsQuery = z.strictObject({
  limit,
  kind: kind.optional(),
  cursor: z
    .string()
    .transform((text, context) => {
      const [atMicros = '', messageId = '', ...rest] = text.split('.');
      if (MICROSECONDS.test(atMicros) && isMessageId(messageId) && rest.length === 0) {
        return { atMicros, messageId };
      }
      context.addIssue({ code: 'custom', message: 'must be a next_cursor of an earlier page.' });
      return z.NEVER;
    })
    .optional(),
});
