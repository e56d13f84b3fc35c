import { decodeDomainEvent } from '@junction/contracts';
import { type InboundRecord, RecordError } from '@junction/messaging';
import type pg from 'pg';
import {
  WEBHOOK_TRAITS,
  type WebhookNews,
  type WebhookTrait,
} from '../../application/webhook/ports.js';

const TYPES = [
  'webhook.configured',
  'webhook.updated',
  'webhook.options_changed',
  'webhook.secret_rotated',
  'webhook.deleted',
] as const;

/** Keeps news in a transaction, and returns what to call after its commit. */
export type HearWebhooks = (tx: pg.PoolClient, news: readonly WebhookNews[]) => Promise<() => void>;

/** Hears of webhooks that were made, changed or deleted, in the transaction of the records. Others pass by. */
export const onWebhookNews =
  (hear: HearWebhooks) =>
  async (
    records: readonly InboundRecord[],
    tx: pg.PoolClient,
  ): Promise<(() => void) | undefined> => {
    const news = records.flatMap((record) => newsIn(record) ?? []);
    return news.length > 0 ? hear(tx, news) : undefined;
  };

/** Returns what a record says of a webhook; undefined: nothing that its owner is told. */
export function newsIn({ headers, value, timestamp }: InboundRecord): WebhookNews | undefined {
  const type = TYPES.find((one) => one === headers['ce_type']);
  if (type === undefined) return undefined;
  const event = decoded(type, value);
  const { webhookId, userId, occurredAt: at = timestamp } = event;
  const events = 'events' in event ? event.events : undefined;
  return {
    webhookId,
    userId,
    at,
    isDeleted: type === 'webhook.deleted',
    events,
    traits: traitsIn(type, event),
  };
}

function traitsIn(type: (typeof TYPES)[number], event: object): readonly WebhookTrait[] {
  if (type === 'webhook.configured') return ['made'];
  if (type === 'webhook.secret_rotated') return ['secret'];
  const changed: readonly string[] = 'changed' in event ? (event.changed as string[]) : [];
  return WEBHOOK_TRAITS.filter((trait) => changed.includes(trait));
}

function decoded(type: (typeof TYPES)[number], value: Buffer | null) {
  try {
    return decodeDomainEvent(type, value ?? Buffer.alloc(0));
  } catch (cause) {
    throw new RecordError('value_unreadable', `The value is no ${type} message.`, { cause });
  }
}
