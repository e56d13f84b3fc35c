import { DELIVERED_KINDS, isDeliveredKind } from '@junction/contracts';
import { z } from 'zod';
import { REPLAYABLE } from '../../application/replay.js';
import { limit, moment } from './webhook-schemas.js';

const DAY_MS = 86_400_000;
const STATISTICS_DAYS_MAX = 31;
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

export const isOperationId = (id: string): boolean => new RegExp(`^op_${UUID}$`).test(id);
export const isMessageId = (id: string): boolean => new RegExp(`^msg_${UUID}$`).test(id);

const kind = z.string().refine(isDeliveredKind, {
  params: { code: 'unknown_kind' },
  error: `must be one of ${DELIVERED_KINDS.join(', ')}.`,
});

const inOrder = (span: { readonly from: Date; readonly to: Date }) => span.from < span.to;
const NOT_IN_ORDER = { path: ['to'], error: 'must be later than from.' };

/** Without `outcomes`: all that did not get through. What is to come is no part of a replay. */
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

export const testBody = z.strictObject({ kind });

export const noBody = z.strictObject({});

/** Without a span: the last day. */
export const statisticsQuery = z
  .strictObject({ from: moment.optional(), to: moment.optional() })
  .transform(({ to = new Date(), from = new Date(to.getTime() - DAY_MS) }) => ({ from, to }))
  .refine(inOrder, NOT_IN_ORDER)
  .refine(({ from, to }) => to.getTime() - from.getTime() <= STATISTICS_DAYS_MAX * DAY_MS, {
    path: ['from'],
    error: `must be at most ${STATISTICS_DAYS_MAX} days before to.`,
  });

const EVENT_CURSOR = new RegExp(`^([0-9]{1,17})\\.(msg_${UUID})$`);

export const eventsQuery = z.strictObject({
  limit,
  kind: kind.optional(),
  cursor: z
    .string()
    .regex(EVENT_CURSOR, 'must be a next_cursor of an earlier page.')
    .transform((text) => {
      const [atMicros = '', messageId = ''] = text.split('.');
      return { atMicros, messageId };
    })
    .optional(),
});
