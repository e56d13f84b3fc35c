import { type EventCodec, jsonCodec } from '@junction/eventsourcing';
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

/** Stored events of webhooks; the url is sealed with its owner's key. */
export const webhookCodec = (vault: Vault): EventCodec<WebhookEvent> =>
  personalFields(
    jsonCodec<WebhookEvent>({
      'webhook.configured': [(data) => configured.parse(data)],
      'webhook.updated': [(data) => updated.parse(data)],
      'webhook.enabled': [(data) => plain.parse(data)],
      'webhook.disabled': [(data) => disabled.parse(data)],
      'webhook.circuit_opened': [(data) => circuitOpened.parse(data)],
      'webhook.circuit_closed': [(data) => plain.parse(data)],
      'webhook.deleted': [(data) => deleted.parse(data)],
    }),
    {
      vault,
      subjectOf: (_, { data }) => data.userId,
      fields: { 'webhook.configured': ['url'], 'webhook.updated': ['url'] },
    },
  );
