import { z } from 'zod';
import { DELIVERY_STATUSES } from '../../../domain/delivery/events.js';
import { code, deliveryId, eventType, messageId, webhookId } from '../../wire-fields.js';

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
    rests_until: z
      .date()
      .nullable()
      .describe(
        'Time until which its webhook rests after failures while it waits; null: it does not.',
      ),
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

/** A delivery as far as its owner may know it without decryption. */
export type DeliverySummary = z.input<typeof delivery>;

const ms = z.number().nullable().describe('Milliseconds; null: it did not come so far.');

export const attempt = z
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
