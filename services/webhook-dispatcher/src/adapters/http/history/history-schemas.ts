import { z } from 'zod';
import { DELIVERY_STATUSES } from '../../../domain/delivery/events.js';
import { isDeliveryId, isMessageId, isWebhookId } from '../ids.js';
import { cursorOf, idWith, inOrder, kind, limit, moment, NOT_IN_ORDER } from '../schemas.js';

export const testBody = z.strictObject({ kind });

export const noBody = z.strictObject({});

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
  .describe('One status, or several with commas between.');

const deliveryFields = {
  cursor: cursorOf(isDeliveryId),
  limit,
  status: statuses.optional(),
  kind: kind.optional(),
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
};

export const deliveriesQuery = z.strictObject(deliveryFields).refine(inOrder, NOT_IN_ORDER);

export const allDeliveriesQuery = z
  .strictObject({ ...deliveryFields, webhook_id: idWith(isWebhookId, 'wh').optional() })
  .refine(inOrder, NOT_IN_ORDER);
