import { DELIVERED_KINDS, isDeliveredKind } from '@junction/contracts';
import { isUsableSecret } from '@junction/webhook-signing';
import { z } from 'zod';
import { DELIVERY_STATUSES } from '../../domain/delivery/events.js';
import type { TargetProblem } from '../webhook/target-rules.js';
import { optionFields, splitOptions } from './option-schemas.js';

const ITEMS_DEFAULT = 50;
const ITEMS_MAX = 200;

const kind = z.string().refine(isDeliveredKind, {
  params: { code: 'unknown_kind' },
  error: `must be one of ${DELIVERED_KINDS.join(', ')}.`,
});

/** Each kind once, in the catalogue's order: the same choice is the same list. */
const events = z
  .array(kind)
  .min(1, 'must name at least one kind of event.')
  .max(100)
  .transform((chosen) => DELIVERED_KINDS.filter((known) => chosen.includes(known)) as string[]);

const secret = z.string().refine(isUsableSecret, {
  params: { code: 'secret_unusable' },
  error: 'must be 1 to 256 bytes of UTF-8; one that begins with whsec_ goes on in base64.',
});

/** What requests must look like; which urls are acceptable depends on the configuration. */
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
    paused: z.boolean().optional(),
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

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

export const isWebhookId = (id: string): boolean => new RegExp(`^wh_${UUID}$`).test(id);
export const isDeliveryId = (id: string): boolean => new RegExp(`^dlv_${UUID}$`).test(id);

const cursorOf = (isId: (text: string) => boolean) =>
  z.string().refine(isId, 'must be a next_cursor of an earlier page.').optional();
export const limit = z.coerce.number<string>().int().min(1).max(ITEMS_MAX).default(ITEMS_DEFAULT);

export const pageQuery = z.strictObject({ cursor: cursorOf(isWebhookId), limit });

/** A moment of ISO 8601 with its offset. */
export const moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

export const deliveriesQuery = z.strictObject({
  cursor: cursorOf(isDeliveryId),
  limit,
  status: z.enum(DELIVERY_STATUSES).optional(),
  kind: kind.optional(),
  from: moment.optional(),
  to: moment.optional(),
});
