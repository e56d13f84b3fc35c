import { z } from 'zod';

/** Shapes of what tools answer: the fields that an assistant relies on. The API may add others at any time. */

const time = z.string().describe('ISO 8601, in UTC');
const explanation = z.array(z.string()).readonly().describe('sentences for a person');

const webhook = z.looseObject({
  webhook_id: z.string(),
  url: z.string(),
  events: z.array(z.string()).readonly().describe('kinds, and wildcards such as meeting.*'),
  state: z.string().describe('active, failing, paused or disabled'),
  failing: z
    .looseObject({ since: time, reason: z.string(), detail: z.string().nullable() })
    .optional()
    .describe('absent: something gets through'),
});

const connection = z.looseObject({
  integration_id: z.string(),
  provider: z.string().describe('mailbox or calendar'),
  identity_provider: z.string(),
  account: z.string(),
  status: z.string().describe('active, degraded, reconnect_required, revoked or disconnected'),
  status_reason: z.string().nullable(),
});

const attempt = z.looseObject({
  attempt: z.number().describe('from 1'),
  at: time,
  result: z.string().describe('succeeded, or a code such as http_500'),
  detail: z.string().nullable(),
  response_status: z.number().nullable().describe('null: no answer came'),
  total_ms: z.number(),
});

const delivery = z.looseObject({
  delivery_id: z.string(),
  webhook_id: z.string(),
  message_id: z.string(),
  event_type: z.string(),
  status: z
    .string()
    .describe('pending, retrying, held, succeeded, exhausted, refused or cancelled'),
  reason: z.string().nullable(),
  next_attempt_at: time.nullable(),
  attempts: z.array(attempt).readonly(),
});

export const webhooks = z.object({ webhooks: z.array(webhook).readonly() });

export const failingWebhooks = z.object({
  webhooks: z.array(webhook.extend({ explanation: z.string() })).readonly(),
});

export const connections = z.looseObject({ integrations: z.array(connection).readonly() });

export const explained = z.object({
  explanation,
  event: z
    .looseObject({ message_id: z.string(), event_type: z.string(), received_at: time })
    .optional()
    .describe('absent: it is kept no more'),
  deliveries: z.array(delivery).readonly(),
});

export const outcome = z.object({ explanation, delivery });
