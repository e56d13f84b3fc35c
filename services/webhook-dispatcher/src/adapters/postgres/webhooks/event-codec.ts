import { type EventCodec, jsonCodec, schema } from '@junction/eventsourcing';
import { personalFields, type Vault } from '@junction/vault';
import { z } from 'zod';
import type { WebhookEvent } from '../../../domain/webhook/events.js';
import { SIGNATURES, type WebhookOptions } from '../../../domain/webhook/options.js';

const about = { userId: z.uuid(), at: z.iso.datetime() };
const kinds = z.array(z.string());

const configured = z.object({
  ...about,
  url: z.string(),
  events: kinds,
  enabled: z.boolean(),
  secretVersion: z.int().nonnegative(),
});
const updated = z.object({
  ...about,
  url: z.string().exactOptional(),
  events: kinds,
  paused: z.boolean(),
  hasSecret: z.boolean(),
  secretVersion: z.int().nonnegative(),
  status: z.enum(['active', 'paused', 'disabled']),
  changed: z.array(z.enum(['url', 'events', 'secret'])).exactOptional(),
});
const options = {
  ordered: z.boolean(),
  rateLimit: z.number().nullable(),
  description: z.string().nullable(),
  filter: z.string().nullable(),
  retrySchedule: z.array(z.number()).nullable(),
  metadata: z.string().nullable().exactOptional(),
  signature: z.enum(SIGNATURES).exactOptional(),
  traceContext: z.boolean().exactOptional(),
  headerNames: z.array(z.string()),
  headersVersion: z.int().nonnegative(),
} satisfies Record<keyof WebhookOptions, z.ZodType>;
const optionsChanged = z.object({
  ...about,
  ...options,
  changed: z.tuple([z.literal('headers')]).exactOptional(),
});
const secretRotated = z.object({
  ...about,
  secretVersion: z.int().positive(),
  previousExpiresAt: z.iso.datetime().nullable(),
});
const disabled = z.object({
  ...about,
  reason: z.enum(['user', 'gone_410', 'failing']),
  byOperator: z.literal(true).exactOptional(),
});
const deleted = z.object({ ...about, reason: z.enum(['user', 'user_deleted']) });
const plain = z.object(about);

/** Every type and schema version ever stored, with personal fields opened; golden/ has a file for each. */
export const webhookEvents = jsonCodec<WebhookEvent>({
  'webhook.configured': schema(configured.parse),
  'webhook.updated': schema(updated.parse),
  'webhook.options_changed': schema(optionsChanged.parse),
  'webhook.secret_rotated': schema(secretRotated.parse),
  'webhook.enabled': schema(plain.parse),
  'webhook.disabled': schema(disabled.parse),
  'webhook.deleted': schema(deleted.parse),
});

/** Stored events of webhooks; what is personal in them is sealed with the owner's key. */
export const webhookCodec = (vault: Vault): EventCodec<WebhookEvent> =>
  personalFields(webhookEvents, {
    vault,
    subjectOf: (_, { data }) => data.userId,
    fields: {
      'webhook.configured': ['url'],
      'webhook.updated': ['url'],
      'webhook.options_changed': ['description', 'filter', 'metadata'],
    },
  });
