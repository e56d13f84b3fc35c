import { type DomainEventMessage, isNoticeKind } from '@junction/contracts';
import { commandHandler } from '@junction/eventsourcing';
import {
  insertOutbox,
  inTransaction,
  type PostgresEventStore,
} from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import type { Result } from '../../application/dispatch/job.js';
import { type WebhookCommand, webhookDecider } from '../../domain/webhook/decider.js';
import type { WebhookEvent } from '../../domain/webhook/events.js';
import { notice, noticesOf } from '../kafka/notices.js';
import { exhaustedRecord } from '../kafka/webhook-publication.js';
import { fromStoredId } from './stored-id.js';
import { settleAfter, webhookStream } from './webhook-commands.js';
import { type ResultWriting, writeResults } from './write-results.js';

/**
 * Writes that a delivery will not be tried again, tells the world, and disables the webhook when its
 * receiver said it is gone: all of it or nothing. Safe to repeat. Gives false when somebody else has
 * the lease.
 */
export const writeExhausted =
  (pool: pg.Pool, store: PostgresEventStore<WebhookEvent>, writing: ResultWriting) =>
  async (result: Result): Promise<boolean> =>
    inTransaction(pool, async (tx) => {
      const { job, fact, at } = result;
      const written = await writeResults(tx, writing, [result]);
      if (written.length === 0 || fact.type !== 'delivery.exhausted') return false;

      const { attempt: attempts, reason, gone } = fact.data;
      const exhausted = {
        userId: job.userId,
        webhookId: job.webhookId,
        deliveryId: fromStoredId('dlv', job.deliveryId),
        messageId: fromStoredId('msg', job.messageId),
        eventType: job.kind,
        attempts,
        reason,
        occurredAt: at,
      };
      await insertOutbox(tx, [exhaustedRecord(exhausted)]);
      // The end of a notice is told by none: two webhooks of an owner could go on about each other.
      const isTold = !isNoticeKind(job.kind);
      if (isTold) await insertOutbox(tx, [exhaustedNotice(exhausted, at)]);
      if (gone) await disable(tx, store, { webhookId: job.webhookId, at, isTold });
      return true;
    });

async function disable(
  tx: pg.PoolClient,
  store: PostgresEventStore<WebhookEvent>,
  { webhookId, at, isTold }: { webhookId: string; at: Date; isTold: boolean },
): Promise<void> {
  // One round: the transaction is repeated as a whole when somebody changes the webhook meanwhile.
  const handle = commandHandler(store.within(tx), webhookDecider, { roundsMax: 1 });
  const command: WebhookCommand = {
    type: 'DisableWebhook',
    data: { reason: 'gone_410', at: at.toISOString() },
  };
  const { events } = await handle(webhookStream(webhookId), command);
  await settleAfter(tx, webhookId, events);
  if (!isTold) return;
  const told = events.flatMap((event) =>
    noticesOf(webhookId, command, event, `${webhookId}/gone/${at.toISOString()}`),
  );
  await insertOutbox(tx, told);
}

const exhaustedNotice = (exhausted: DomainEventMessage<'delivery.exhausted'>, at: Date) => {
  const { userId, webhookId, deliveryId, messageId, eventType, attempts, reason } = exhausted;
  return notice(
    'webhook.exhausted',
    { id: `${deliveryId}/${attempts}`, userId },
    {
      webhook_id: webhookId,
      delivery_id: deliveryId,
      message_id: messageId,
      event_type: eventType,
      attempts,
      reason,
      occurred_at: at.toISOString(),
    },
  );
};
