import type { CatalogueEntry } from '@junction/contracts';

/** Headers of a request to a webhook, by the names that documents refer to them by. */
export const WEBHOOK_HEADERS = {
  WebhookId: {
    name: 'webhook-id',
    description: 'The same in every attempt: drop what you have seen.',
    required: true,
  },
  WebhookTimestamp: {
    name: 'webhook-timestamp',
    description: 'When this attempt was made, in seconds since 1970.',
    required: true,
  },
  WebhookSignature: {
    name: 'webhook-signature',
    description: 'Of Standard Webhooks; absent without a secret, unless `signature` is ed25519.',
    required: false,
  },
  ServiceSignature: {
    name: 'X-Service-Signature',
    description: '`sha256=` and the HMAC-SHA256 of the body in hex; absent without a secret.',
    required: false,
  },
  Traceparent: {
    name: 'traceparent',
    description:
      'W3C Trace Context; for webhooks with `trace_context`, of events that are in a trace.',
    required: false,
  },
};

/** The body of such a request: its schema, and an example. */
export const webhookBody = ({ kind, schema, example }: CatalogueEntry) => ({
  schema: {
    type: 'object',
    properties: {
      event_type: { const: kind },
      user_id: { type: 'string', format: 'uuid' },
      data: schema,
      timestamp: { type: 'string', format: 'date-time' },
      webhook_id: { type: 'string' },
    },
    required: ['event_type', 'user_id', 'data', 'timestamp', 'webhook_id'],
  },
  example: {
    event_type: kind,
    user_id: '0198c0de-0123-7abc-8def-000000000001',
    data: example,
    timestamp: '2026-01-02T03:04:05.678Z',
    webhook_id: 'wh_0190f3a0-0000-7000-8000-000000000000',
  },
});

/** `api_key.created` is ApiKeyCreated: the name of its message, and of what happens by it. */
export const pascal = (kind: string): string =>
  kind.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());
