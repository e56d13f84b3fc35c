import { commandHandler } from '@junction/eventsourcing';
import {
  insertOutbox,
  inTransaction,
  type PostgresEventStore,
} from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import type { Result } from '../../application/dispatch/job.js';
import { webhookDecider } from '../../domain/webhook/decider.js';
import type { WebhookEvent } from '../../domain/webhook/events.js';
import { exhaustedRecord } from '../kafka/webhook-publication.js';
import { fromStoredId } from './stored-id.js';
import { settleAfter, webhookStream } from './webhook-commands.js';
import { type ResultWriting, writeResults } from './write-results.js';

/**
 * Writes that a delivery will not be tried again, tells the world, and disables the webhook when its
 * receiver said it is gone: all of it or nothing. Safe to repeat.
 */
export const writeExhausted =
  (pool: pg.Pool, store: PostgresEventStore<WebhookEvent>, writing: ResultWriting) =>
  async (result: Result): Promise<void> =>
    inTransaction(pool, async (tx) => {
      const { job, fact, at } = result;
      const written = await writeResults(tx, writing, [result]);
      if (!written.has(job.deliveryId) || fact.type !== 'delivery.exhausted') return;

      const { attempt: attempts, reason, gone } = fact.data;
      await insertOutbox(tx, [
        exhaustedRecord({
          userId: job.userId,
          webhookId: job.webhookId,
          deliveryId: fromStoredId('dlv', job.deliveryId),
          messageId: fromStoredId('msg', job.messageId),
          eventType: job.kind,
          attempts,
          reason,
          occurredAt: at,
        }),
      ]);
      if (gone) await disable(tx, store, job.webhookId, at);
    });

async function disable(
  tx: pg.PoolClient,
  store: PostgresEventStore<WebhookEvent>,
  webhookId: string,
  at: Date,
): Promise<void> {
  // One round: the transaction is repeated as a whole when somebody changes the webhook meanwhile.
  const handle = commandHandler(store.within(tx), webhookDecider, { roundsMax: 1 });
  const { events } = await handle(webhookStream(webhookId), {
    type: 'DisableWebhook',
    data: { reason: 'gone_410', at: at.toISOString() },
  });
  await settleAfter(tx, webhookId, events);
}
