import { decodeDomainEvent } from '@junction/contracts';
import { type InboundRecord, RecordError } from '@junction/messaging';
import type pg from 'pg';
import type { Erased } from '../postgres/deletion/deletion-receipts.js';

/** Services whose reports count, each by the topic that it alone writes to. */
const REPORTED_BY: Readonly<Record<string, string>> = {
  'integrations.events.v1': 'integrations',
  'webhooks.events.v1': 'webhook-dispatcher',
};

export const ERASURE_TOPICS: readonly string[] = Object.keys(REPORTED_BY);

/** Hears from the services what they have ended and deleted of users who left. Other kinds pass by. */
export const onErasures =
  (recordErased: (tx: pg.PoolClient, erased: Erased) => Promise<void>) =>
  async (records: readonly InboundRecord[], tx: pg.PoolClient): Promise<undefined> => {
    for (const record of records) {
      const type = record.headers['ce_type'];
      if (type === 'user.ended' || type === 'user.erased') {
        await recordErased(tx, erasedIn(record, type));
      }
    }
  };

function erasedIn({ topic, value }: InboundRecord, type: 'user.ended' | 'user.erased'): Erased {
  const service = ERASURE_TOPICS.find((name) => topic.endsWith(name));
  if (value === null || service === undefined) {
    throw new RecordError('value_missing', `The value must be a ${type} message.`);
  }
  try {
    const { userId, counts } = decodeDomainEvent(type, value);
    const isFinal = type === 'user.erased';
    return { userId, service: REPORTED_BY[service] ?? '', counts, isFinal };
  } catch (cause) {
    throw new RecordError('value_unreadable', `The value is no ${type} message.`, { cause });
  }
}
