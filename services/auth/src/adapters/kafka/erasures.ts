import { decodeDomainEvent } from '@junction/contracts';
import { type InboundRecord, RecordError } from '@junction/messaging';
import type pg from 'pg';
import type { Counts } from '../../application/deletion/ports.js';

/** Services whose reports count, each by the topic that it alone writes to. */
const REPORTED_BY: Readonly<Record<string, string>> = {
  'integrations.events.v1': 'integrations',
  'webhooks.events.v1': 'webhook-dispatcher',
};

export const ERASURE_TOPICS: readonly string[] = Object.keys(REPORTED_BY);

type Erased = { readonly userId: string; readonly service: string; readonly counts: Counts };

/** Hears from the services what they have deleted of users who left. Other kinds pass by. */
export const onErasures =
  (recordErased: (tx: pg.PoolClient, erased: Erased) => Promise<void>) =>
  async (records: readonly InboundRecord[], tx: pg.PoolClient): Promise<undefined> => {
    for (const record of records) {
      if (record.headers['ce_type'] === 'user.erased') await recordErased(tx, erasedIn(record));
    }
  };

function erasedIn({ topic, value }: InboundRecord): Erased {
  const service = ERASURE_TOPICS.find((name) => topic.endsWith(name));
  if (value === null || service === undefined) {
    throw new RecordError('value_missing', 'The value must be a user.erased message.');
  }
  try {
    const { userId, counts } = decodeDomainEvent('user.erased', value);
    return { userId, service: REPORTED_BY[service] ?? '', counts };
  } catch (cause) {
    throw new RecordError('value_unreadable', 'The value is no user.erased message.', { cause });
  }
}
