import type { EventCatalogue } from '@junction/contracts';
import { secretProblem } from '@junction/webhook-signing';
import { z } from 'zod';
import { choicesAmong } from '../../../domain/webhook/chosen-kinds.js';
import { type TargetRules, targetProblem } from '../../webhook/target-rules.js';
import { webhookState } from '../../wire-fields.js';
import { isWebhookId } from '../ids.js';
import { cursorOf, limit } from '../schemas.js';
import { filter } from './filter-schema.js';
import { optionFields, splitOptions } from './option-schemas.js';

/** Kinds, and wildcards that cover some. */
function eventsIn(catalogue: EventCatalogue) {
  const { has, normalized } = choicesAmong(catalogue);
  const choice = z.string().refine(has, {
    params: { code: 'unknown_kind' },
    error: `must be *, a group such as meeting.*, or one of ${catalogue.kinds.join(', ')}.`,
  });
  return z
    .array(choice)
    .min(1, 'must name at least one kind of event.')
    .max(100)
    .describe(
      'Kinds of events. `meeting.*` names every kind that begins so, and `*` every kind that is not opt-in, later ones included. Kinds beside a wildcard that covers them are dropped.',
    )
    .transform(normalized);
}

const secret = z
  .string()
  .superRefine((text, context) => {
    const message = secretProblem(text);
    if (message === undefined) return;
    context.addIssue({ code: 'custom', params: { code: 'secret_unusable' }, message });
  })
  .describe(
    '1 to 256 bytes of UTF-8, without control characters, and without blanks at its ends; one that begins with `whsec_` goes on in base64. Libraries of Standard Webhooks read such a one as it is, best with 24 bytes or more behind it; any other secret they take as the base64 of its bytes.',
  );

/** Makes the schemas of requests about webhooks. The configuration decides which urls and kinds are accepted. */
export function webhookSchemas(rules: TargetRules, catalogue: EventCatalogue) {
  const events = eventsIn(catalogue);
  const url = z.string().superRefine((text, context) => {
    const problem = targetProblem(text, rules);
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
  const enabled = z
    .boolean()
    .optional()
    .describe('Absent: a new webhook is enabled, and one that is there stays as it is.');
  const whole = { url, events, enabled, secret: secret.optional(), ...optionFields };

  return {
    configure: z.strictObject(whole).transform(splitOptions),
    change: z.strictObject(changes).transform(splitOptions),
  };
}

/** Without a secret one is made. */
export const rotation = z.strictObject({ secret: secret.optional() });

export const pageQuery = z.strictObject({
  cursor: cursorOf(isWebhookId),
  state: webhookState.optional(),
  limit,
});

/** Without `events`: every kind. */
export const filterPreviewBody = (catalogue: EventCatalogue) =>
  z.strictObject({ filter, events: eventsIn(catalogue).optional() });
