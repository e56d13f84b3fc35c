import type { EventCatalogue } from '@junction/contracts';
import { z } from 'zod';
import { REPLAYABLE } from '../../../application/replaying/ports.js';
import { isOperationId, isWebhookId } from '../ids.js';
import {
  cursorOf,
  earlierNameOf,
  idWith,
  inOrder,
  kindIn,
  limit,
  moment,
  NOT_IN_ORDER,
} from '../schemas.js';

/** Without `outcomes`: all that did not get through, and is not tried again by itself. */
export const replayBody = (catalogue: EventCatalogue) => {
  const kinds = z.array(kindIn(catalogue)).min(1).max(100).optional();
  return z
    .strictObject({
      from: moment.refine((from) => from.getTime() < Date.now(), 'must lie in the past.'),
      to: moment,
      event_types: kinds,
      kinds: kinds.describe(earlierNameOf('event_types')).meta({ deprecated: true }),
      outcomes: z
        .array(z.enum(REPLAYABLE))
        .min(1)
        .max(REPLAYABLE.length)
        .default(['held', 'exhausted', 'refused']),
      confirm: z.boolean().default(false),
    })
    .refine(inOrder, NOT_IN_ORDER)
    .transform(({ kinds, event_types = kinds, ...span }) => ({ ...span, kinds: event_types }));
};

export const operationsQuery = z.strictObject({
  cursor: cursorOf(isOperationId),
  limit,
  webhook_id: idWith(isWebhookId, 'wh').optional(),
});
