import { jsonObject, pageOf } from '@junction/service/http';
import { z } from 'zod';
import { REPLAYABLE } from '../../application/replaying/ports.js';
import { DELIVERY_STATUSES } from '../../domain/delivery/events.js';
import { shownFields } from './webhooks/option-schemas.js';

/** Schemas of the answers of the webhook routes. */

export const code = z.string().describe('A stable code.');
export const webhookId = z.string().meta({ example: 'wh_0190f3a0-0000-7000-8000-000000000000' });
export const deliveryId = z.string().meta({ example: 'dlv_0190f3a0-0000-7000-8000-000000000001' });
const messageId = z
  .string()
  .describe('The same in every attempt: the header webhook-id.')
  .meta({ example: 'msg_4a4b1c3e-8f0d-5d2c-9b7a-2f0e6a1b7c3d' });
export const eventType = z
  .string()
  .describe('The kind of event.')
  .meta({ example: 'draft.created' });
const ms = z.number().nullable().describe('Milliseconds; null: it did not come so far.');

export const webhook = z
  .object({
    webhook_id: webhookId,
    url: z.string().meta({ example: 'https://example.com/hook' }),
    events: z.array(eventType).readonly().describe('Kinds and wildcards.'),
    enabled: z.boolean(),
    has_secret: z.boolean(),
    status: z.enum(['active', 'paused', 'disabled']),
    created_at: z.date(),
    updated_at: z.date(),
    disabled_reason: z.enum(['user', 'gone_410', 'failing']).optional(),
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

export const webhookPage = pageOf(webhook);

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

export const delivery = z
  .object({
    delivery_id: deliveryId,
    webhook_id: webhookId,
    webhook_url: z.string().nullable().describe('null: the webhook was deleted.'),
    webhook_description: z.string().nullable().describe('null: the webhook has none.'),
    message_id: messageId,
    event_type: eventType,
    status: z.enum(DELIVERY_STATUSES),
    reason: code
      .nullable()
      .describe(
        'Reason why the delivery was held, refused, cancelled or given up, or the outcome of the last attempt.',
      ),
    attempt_count: z.int(),
    response_status: z
      .int()
      .nullable()
      .describe('Status of the last answer; null: no answer came.'),
    created_at: z
      .date()
      .describe('Time at which the event was taken in, or at which a redelivery was asked for.'),
    event_time: z
      .date()
      .nullable()
      .describe('Time of the event by its producer, `timestamp` of the body; null: not known.'),
    next_attempt_at: z.date().nullable(),
    ended_at: z.date().nullable(),
    redelivery_of: z.string().nullable().describe('The first delivery that this one repeats.'),
    operation_id: z
      .string()
      .nullable()
      .describe('The replay that sent it; null: none did, it was asked for or came by itself.'),
    test: z.boolean().describe('True for a test event, and for a delivery that repeats one.'),
    payload_expunged_at: z.date().nullable(),
  })
  .meta({ id: 'Delivery', description: 'One event on its way to one webhook.' });

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

const attempt = z
  .object({
    attempt: z.int(),
    at: z.date(),
    result: code.meta({ example: 'http_500' }),
    detail: z.string().nullable().describe('Reason of the failure, for a person.'),
    request: z
      .object({
        method: z.literal('POST'),
        url: z.string(),
        headers: z.record(z.string(), z.string()).readonly(),
        note: z.string().optional(),
      })
      .optional(),
    response_status: z.int().nullable(),
    timing: z.object({
      dns_ms: ms,
      connect_ms: ms,
      tls_ms: ms,
      first_byte_ms: ms,
      total_ms: z.number(),
    }),
    response_headers: z.array(z.object({ name: z.string(), value: z.string() })).nullable(),
    response_sample: z.string().nullable().describe('Beginning of the body of the answer.'),
  })
  .meta({ id: 'Attempt' });

export const deliveryDetail = z
  .object({
    ...delivery.shape,
    request_body: z.string().nullable().describe('Byte for byte; null: it is not here any more.'),
    attempts: z.array(attempt),
  })
  .meta({ id: 'DeliveryDetail' });

export const sentTest = z.object({ delivery_id: deliveryId, message_id: messageId });

const span = {
  from: z.date(),
  to: z.date(),
  kinds: z.array(eventType).readonly().nullable().describe('null: every kind.'),
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

export const event = z
  .object({
    message_id: messageId,
    event_type: eventType,
    source: z.string(),
    id: z.string().describe('As its producer named it, unique for its source.'),
    received_at: z.date(),
    repeats: z.int().describe('Number of repeats of the event that came and were dropped.'),
    last_repeat_at: z.date().nullable(),
    webhooks: z
      .array(
        z.object({
          webhook_id: webhookId,
          matched: z.boolean(),
          verdict: code,
          detail: z.string(),
        }),
      )
      .describe('Which webhooks it matched, and why it did not match the others.'),
  })
  .meta({ id: 'Event' });

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
