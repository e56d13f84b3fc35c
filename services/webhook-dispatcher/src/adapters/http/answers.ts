import { jsonObject, pageOf } from '@junction/service/http';
import { z } from 'zod';
import { REPLAYABLE } from '../../application/replaying/ports.js';
import { attempt, delivery, event } from '../postgres/history/history-reads.js';
import { code, deliveryId, eventType, messageId, webhookId, webhookState } from '../wire-fields.js';
import { earlierNameOf } from './schemas.js';
import { shownFields } from './webhooks/option-schemas.js';

/** Schemas of the answers of the webhook routes. */

export const webhook = z
  .object({
    webhook_id: webhookId,
    url: z.string().meta({ example: 'https://example.com/hook' }),
    events: z.array(eventType).readonly().describe('Kinds and wildcards.'),
    enabled: z.boolean(),
    has_secret: z.boolean(),
    status: z.enum(['active', 'paused', 'disabled']),
    state: webhookState.describe(
      'The status, or `failing`: it is active, and nothing gets through.',
    ),
    created_at: z.date(),
    updated_at: z.date(),
    disabled_reason: z.enum(['user', 'gone_410', 'failing', 'operator']).optional(),
    paused_by: z
      .literal('operator')
      .optional()
      .describe('An operator has paused its host or its user; absent: nobody but its owner.'),
    disabled_at: z.date().nullable().optional(),
    circuit: z
      .object({ state: z.enum(['open', 'half_open']), opened_at: z.date(), probe_at: z.date() })
      .optional()
      .describe('Deliveries wait until the receiver answers a probe; absent: closed.'),
    failing: z
      .object({ since: z.date(), reason: code, detail: z.string().nullable() })
      .optional()
      .describe('Nothing has arrived since, and why.'),
    previous_secret_expires_at: z
      .date()
      .optional()
      .describe('Time until which the secret before a rotation signs; absent: there is none.'),
    ...shownFields,
  })
  .meta({
    id: 'Webhook',
    description: 'An endpoint, and what it gets. Options that are not set are absent.',
  });

export const rotatedWebhook = z
  .object({
    ...webhook.shape,
    secret: z.string().optional().describe('Secret that was made here; it is shown this once.'),
  })
  .meta({ id: 'RotatedWebhook' });

export const webhookPage = z.object({
  ...pageOf(webhook).shape,
  webhooks_max: z.int().describe('Webhooks that the caller can have at most.'),
});

export const webhookKeys = z
  .object({
    keys: z
      .array(
        z.object({
          kty: z.literal('OKP'),
          crv: z.literal('Ed25519'),
          x: z.string().describe('The 32 bytes in base64url.'),
          kid: z.string().describe('The thumbprint (RFC 7638).'),
          alg: z.literal('EdDSA'),
          use: z.literal('sig'),
          whpk: z
            .string()
            .describe('The same key as Standard Webhooks writes it: whpk_ and base64.'),
        }),
      )
      .readonly(),
  })
  .meta({ id: 'WebhookKeys', description: 'A JWK Set (RFC 7517), newest first.' });

/** The schema of one page of a list that looks at so many rows at most, and then leads on. */
const searchedPageOf = <Item extends z.ZodType>(item: Item, rows: string) =>
  z.object({
    ...pageOf(item).shape,
    searched_back_to: z
      .date()
      .nullable()
      .describe(
        `${rows} before this moment are not looked at yet: \`next_cursor\` goes on there. Null: none is left.`,
      ),
  });

export const deliveryPage = searchedPageOf(delivery, 'Deliveries that were made');

export const deliveryDetail = z
  .object({
    ...delivery.shape,
    request_body: z.string().nullable().describe('Byte for byte; null: it is not here any more.'),
    attempts: z.array(attempt),
  })
  .meta({ id: 'DeliveryDetail' });

export const sentTest = z.object({ delivery_id: deliveryId, message_id: messageId });

const chosenTypes = z.array(eventType).readonly().nullable();
const span = {
  from: z.date(),
  to: z.date(),
  event_types: chosenTypes.describe('null: every kind.'),
  kinds: chosenTypes.describe(earlierNameOf('event_types')).meta({ deprecated: true }),
  outcomes: z.array(z.enum(REPLAYABLE)).readonly(),
  count: z.int(),
  count_is_exact: z.boolean().describe('false: there are at least so many.'),
};

export const replayPreview = z
  .object({ ...span, confirmed: z.literal(false) })
  .meta({ id: 'ReplayPreview', description: 'What a replay would send, for somebody to confirm.' });

export const operation = z
  .object({
    operation_id: z.string().meta({ example: 'op_0190f3a0-0000-7000-8000-000000000002' }),
    kind: z.literal('replay'),
    webhook_id: webhookId,
    status: z.enum(['running', 'completed', 'cancelled']),
    reason: code.nullable(),
    ...span,
    sent: z.int(),
    skipped: z.int().describe('Number of deliveries whose payload is not here any more.'),
    progress: z.number().describe('0 to 1.'),
    deliveries_per_s: z.number().nullable().describe('Lately; null: it has ended.'),
    time_left_s: z.int().nullable().describe('At that rate; null: it is not known.'),
    waits_until: z.date().nullable().describe('null: its user has bytes left to send.'),
    requested_at: z.date(),
    ended_at: z.date().nullable(),
  })
  .meta({ id: 'Operation' });

export const operationPage = pageOf(operation);

export const triedEvents = pageOf(
  z
    .object({
      message_id: messageId
        .nullable()
        .describe('null: the example of the kind, of which no event came lately.'),
      event_type: eventType,
      received_at: z.date().nullable(),
      passes: z.boolean(),
    })
    .meta({ id: 'TriedEvent', description: 'An event that a filter was tried with.' }),
);

export const eventPage = searchedPageOf(event, 'Events that came');
export const eventDetail = z
  .object({ ...event.shape, deliveries: z.array(delivery) })
  .meta({ id: 'EventDetail' });

export const eventTypes = pageOf(
  z
    .object({
      event_type: eventType,
      description: z.string(),
      opt_in: z
        .boolean()
        .describe('A webhook gets it only by naming it or its group: `*` does not.'),
      notice: z.boolean().describe('True for a notice of ours about webhooks and integrations.'),
      schema: jsonObject.describe('JSON Schema (2020-12) of `data`.'),
      example: jsonObject.describe('A `data` that fits the schema.'),
    })
    .meta({ id: 'EventType' }),
);
