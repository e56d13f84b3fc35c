import { type EventCodec, jsonCodec, schema } from '@junction/eventsourcing';
import { personalFields, type Vault } from '@junction/vault';
import { z } from 'zod';
import type { WebhookEvent } from '../../domain/webhook/events.js';

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
});
const disabled = z.object({ ...about, reason: z.enum(['user', 'gone_410', 'failing']) });
const circuitOpened = z.object({ ...about, probeAt: z.iso.datetime() });
const deleted = z.object({ ...about, reason: z.enum(['user', 'user_deleted']) });
const plain = z.object(about);

/** Every type and schema version ever stored, with personal fields opened; golden/ has a file for each. */
export const webhookEvents = jsonCodec<WebhookEvent>({
  'webhook.configured': schema(configured.parse),
  'webhook.updated': schema(updated.parse),
  'webhook.enabled': schema(plain.parse),
  'webhook.disabled': schema(disabled.parse),
  'webhook.circuit_opened': schema(circuitOpened.parse),
  'webhook.circuit_closed': schema(plain.parse),
  'webhook.deleted': schema(deleted.parse),
});

/** Stored events of webhooks; the url is sealed with its owner's key. */
export const webhookCodec = (vault: Vault): EventCodec<WebhookEvent> =>
  personalFields(webhookEvents, {
    vault,
    subjectOf: (_, { data }) => data.userId,
    fields: { 'webhook.configured': ['url'], 'webhook.updated': ['url'] },
  });
