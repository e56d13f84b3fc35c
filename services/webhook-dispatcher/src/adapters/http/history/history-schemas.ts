import type { EventCatalogue } from '@junction/contracts';
import { EXPORT_ROWS_MAX } from '@junction/service/http';
import { z } from 'zod';
import { DELIVERY_STATUSES } from '../../../domain/delivery/events.js';
import { isDeliveryId, isMessageId, isWebhookId } from '../ids.js';
import {
  cursorOf,
  earlierNameOf,
  eventTypeFilter,
  idWith,
  inOrder,
  kindIn,
  limit,
  moment,
  NOT_IN_ORDER,
  withEventType,
} from '../schemas.js';

export const noBody = z.strictObject({});

const MICROSECONDS = /^\d{1,17}$/;

const eventCursor = z.string().transform((text, context) => {
  const [atMicros = '', messageId = '', ...rest] = text.split('.');
  if (MICROSECONDS.test(atMicros) && isMessageId(messageId) && rest.length === 0) {
    return { atMicros, messageId };
  }
  context.addIssue({ code: 'custom', message: 'must be a next_cursor of an earlier page.' });
  return z.NEVER;
});

const httpStatus = z
  .string()
  .regex(/^[1-5](?:\d\d|xx)$/, 'must be a status such as 500, or a class such as 5xx.')
  .transform((text) => ({
    min: Number(text.replace('xx', '00')),
    max: Number(text.replace('xx', '99')),
  }))
  .describe('The status that the last attempt was answered with, 500, or its class, 5xx.');

const SEARCHED_TEXT_MAX = 200;

const STATUS = `(?:${DELIVERY_STATUSES.join('|')})`;

const statuses = z
  .string()
  .regex(
    new RegExp(`^${STATUS}(?:,${STATUS})*$`),
    `must be one or several, with commas between, of ${DELIVERY_STATUSES.join(', ')}.`,
  )
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(DELIVERY_STATUSES)))
  .describe('Status, or several with commas between.');

const deliveryFields = (catalogue: EventCatalogue) => ({
  cursor: cursorOf(isDeliveryId),
  limit,
  status: statuses.optional(),
  sent_again: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('`false`: those alone that were not sent again since; `true`: the others.'),
  ...eventTypeFilter(catalogue),
  http_status: httpStatus.optional(),
  message_id: idWith(isMessageId, 'msg').optional(),
  text: z
    .string()
    .trim()
    .min(1)
    .max(SEARCHED_TEXT_MAX)
    .optional()
    .describe(
      'Held by an id, the kind, the reason, or the body, as it was sent or as it reads without the escapes of JSON; case makes no difference. Bodies are opened to look: a page ends when it is full or after some seconds, and says how far it came.',
    ),
  from: moment.optional(),
  to: moment.optional(),
});

const format = z
  .enum(['csv', 'jsonl'])
  .optional()
  .describe(
    `Answers with a file of all that the filter lets through, ${EXPORT_ROWS_MAX.toLocaleString('en')} at most, as CSV or with a JSON object a line. What is behind its last row is had with that delivery_id as the cursor.`,
  );

/** A filter that no index serves looks at thousands of deliveries for a page. */
export const LIST_COSTS = {
  cost: 3,
  costWith: {
    text: 200,
    event_type: 10,
    kind: 10,
    http_status: 10,
    message_id: 10,
    sent_again: 10,
    format: 50,
  },
};

/** Makes the schemas that name kinds of event. */
export function historySchemas(catalogue: EventCatalogue) {
  const kind = kindIn(catalogue);
  const delivery = deliveryFields(catalogue);
  return {
    testBody: testBody(kind),
    eventsQuery: z
      .strictObject({ limit, ...eventTypeFilter(catalogue), cursor: eventCursor.optional() })
      .transform(withEventType),
    deliveriesQuery: z
      .strictObject(delivery)
      .refine(inOrder, NOT_IN_ORDER)
      .transform(withEventType),
    allDeliveriesQuery: z
      .strictObject({ ...delivery, webhook_id: idWith(isWebhookId, 'wh').optional(), format })
      .refine(inOrder, NOT_IN_ORDER)
      .refine(({ format, text }) => format === undefined || text === undefined, {
        path: ['format'],
        message: 'must not be there with text.',
      })
      .transform(withEventType),
  };
}

export type HistorySchemas = ReturnType<typeof historySchemas>;

type Given<Query extends 'eventsQuery' | 'deliveriesQuery'> = Partial<
  z.output<HistorySchemas[Query]>
>;
/** Query of a list of deliveries, as its statements have it. */
export type DeliveryFilter = Given<'deliveriesQuery'> & { readonly limit: number };
/** Query of a list of events. Its cursor is the event with which the last page ended. */
export type EventFilter = Given<'eventsQuery'> & { readonly limit: number };

/** A test event: the example of a kind, or the data of an event that came. */
const testBody = (kind: ReturnType<typeof kindIn>) =>
  z
    .strictObject({
      event_type: kind.optional().describe('Sends the example of this kind.'),
      kind: kind.optional().describe(earlierNameOf('event_type')).meta({ deprecated: true }),
      message_id: idWith(isMessageId, 'msg').optional().describe('Sends the data of this event.'),
    })
    .transform(({ kind: old, event_type: kind = old, message_id: messageId }, context) => {
      if (kind !== undefined && messageId === undefined) return { kind };
      if (kind === undefined && messageId !== undefined) return { messageId };
      context.addIssue({
        code: 'custom',
        path: ['event_type'],
        message: 'must be there, or else message_id.',
      });
      return z.NEVER;
    });
