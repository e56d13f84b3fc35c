import { DELIVERED_KINDS, isDeliveredKind, parseRfc3339 } from '@junction/contracts';
import { isUsableSecret } from '@junction/webhook-signing';
import { z } from 'zod';
import { DELIVERY_STATUSES } from '../../../domain/delivery/events.js';
import { isChoice, normalized } from '../../../domain/webhook/chosen-kinds.js';
import type { TargetProblem } from '../../webhook/target-rules.js';
import { isDeliveryId, isMessageId, isWebhookId } from '../ids.js';
import { optionFields, splitOptions } from './option-schemas.js';

const ITEMS_DEFAULT = 50;
const ITEMS_MAX = 200;

export const kind = z.string().refine(isDeliveredKind, {
  params: { code: 'unknown_kind' },
  error: `must be one of ${DELIVERED_KINDS.join(', ')}.`,
});

/** Kinds, and wildcards that cover some. */
export const events = z
  .array(
    z.string().refine(isChoice, {
      params: { code: 'unknown_kind' },
      error: `must be *, a group such as meeting.*, or one of ${DELIVERED_KINDS.join(', ')}.`,
    }),
  )
  .min(1, 'must name at least one kind of event.')
  .max(100)
  .describe(
    'Kinds of events. `meeting.*` names every kind that begins so, and `*` every kind that is not opt-in, later ones included. Kinds beside a wildcard that covers them are dropped.',
  )
  .transform(normalized);

const secret = z
  .string()
  .refine(isUsableSecret, {
    params: { code: 'secret_unusable' },
    error: 'must be 1 to 256 bytes of UTF-8; one that begins with whsec_ goes on in base64.',
  })
  .describe(
    '1 to 256 bytes of UTF-8; one that begins with `whsec_` goes on in base64. Libraries of Standard Webhooks read such a one as it is, best with 24 bytes or more behind it; any other secret they take as the base64 of its bytes.',
  );

/** Makes the schemas of requests about webhooks. The configuration decides which urls are accepted. */
export function webhookSchemas(problemOf: (url: string) => TargetProblem | undefined) {
  const url = z.string().superRefine((text, context) => {
    const problem = problemOf(text);
    if (!problem) return;
    const { code, message } = problem;
    context.addIssue({ code: 'custom', params: { code }, message });
  });
  const changes = {
    url: url.optional(),
    events: events.optional(),
    enabled: z.boolean().optional(),
    paused: z.boolean().optional().describe('Deliveries wait until it goes on.'),
    secret: secret.nullable().optional(),
    ...optionFields,
  };
  const whole = { url, events, enabled: z.boolean(), secret: secret.optional(), ...optionFields };

  return {
    configure: z.strictObject(whole).transform(splitOptions),
    change: z.strictObject(changes).transform(splitOptions),
  };
}

/** Without a secret one is made. */
export const rotation = z.strictObject({ secret: secret.optional() });

export const cursorOf = (isId: (text: string) => boolean) =>
  z.string().refine(isId, 'must be a next_cursor of an earlier page.').optional();
/** Digits alone: what else reads as a number, a blank or 0x10, is a mistake. */
export const limit = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number.')
  // To callers it is a number: its digits are how a query has it.
  .meta({ type: 'integer', pattern: undefined, minimum: 1, maximum: ITEMS_MAX })
  .transform(Number)
  .pipe(z.int().min(1).max(ITEMS_MAX))
  .default(ITEMS_DEFAULT);

export const pageQuery = z.strictObject({ cursor: cursorOf(isWebhookId), limit });

/** In a query a + stands for a blank (WHATWG URL, application/x-www-form-urlencoded). */
const LOST_PLUS = /T.* \d\d:\d\d$/;

/** A moment of ISO 8601 with its offset, as RFC 3339 has it. */
export const moment = z.string().transform((text, context) => {
  const at = parseRfc3339(text);
  if (at !== undefined) return at;
  const message = LOST_PLUS.test(text)
    ? 'has a blank where its offset has a +: write that as %2B in a query.'
    : 'must be a moment with its offset, such as 2030-01-02T03:04:05Z.';
  context.addIssue({ code: 'custom', params: { code: 'invalid_format' }, message });
  return z.NEVER;
});

type Span = { readonly from?: Date | undefined; readonly to?: Date | undefined };
export const inOrder = ({ from, to }: Span) => !from || !to || from < to;
export const NOT_IN_ORDER = { path: ['to'], error: 'must be later than from.' };

const httpStatus = z
  .string()
  .regex(/^[1-5](?:\d\d|xx)$/, 'must be a status such as 500, or a class such as 5xx.')
  .transform((text) => ({
    min: Number(text.replace('xx', '00')),
    max: Number(text.replace('xx', '99')),
  }))
  .describe('The status that the last attempt was answered with, 500, or its class, 5xx.');

export const idWith = (isId: (text: string) => boolean, prefix: string) =>
  z.string().refine(isId, `must be an id that begins with ${prefix}_.`);

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
