import { type DomainEventMessage, isNoticeKind } from '@junction/contracts';
import { commandHandler } from '@junction/eventsourcing';
import {
  insertOutbox,
  inTransaction,
  type PostgresEventStore,
} from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import type { Result } from '../../../application/dispatch/job.js';
import { type WebhookCommand, webhookDecider } from '../../../domain/webhook/decider.js';
import type { WebhookEvent } from '../../../domain/webhook/events.js';
import { notice, noticesOf } from '../../kafka/notices.js';
import { exhaustedRecord } from '../../kafka/webhook-publication.js';
import { fromStoredId } from '../stored-id.js';
import { settleAfter, webhookStream } from '../webhooks/webhook-commands.js';
import { type ResultWriting, writeResults } from './write-results.js';

/**
 * Writes that deliveries will not be tried again, and tells the world and their owners: all of it or nothing.
 * Safe to repeat: what is told twice has the same id. Gives what it wrote; the others are of shards that somebody
 * else has.
 */
export const writeExhausted =
  (pool: pg.Pool, writing: ResultWriting) =>
  async (results: readonly Result[]): Promise<readonly Result[]> =>
    inTransaction(pool, async (tx) => {
      const written = await writeResults(tx, writing, results);
      await insertOutbox(tx, written.flatMap(toldOf));
      return written;
    });

/** The same of one whose receiver said that it is gone: its webhook is disabled with it. */
export const writeGone =
  (pool: pg.Pool, store: PostgresEventStore<WebhookEvent>, writing: ResultWriting) =>
  async (result: Result): Promise<boolean> =>
    inTransaction(pool, async (tx) => {
      const written = await writeResults(tx, writing, [result]);
      if (written.length === 0) return false;
      await insertOutbox(tx, toldOf(result));
      const { job, at } = result;
      await disable(tx, store, { webhookId: job.webhookId, at, isTold: isTold(result) });
      return true;
    });

/** The end of a notice is told by none: two webhooks of an owner could go on about each other. */
const isTold = ({ job }: Result): boolean => !isNoticeKind(job.kind);

function toldOf(result: Result) {
  const { job, fact, at } = result;
  if (fact.type !== 'delivery.exhausted') return [];
  const exhausted = {
    userId: job.userId,
    webhookId: job.webhookId,
    deliveryId: fromStoredId('dlv', job.deliveryId),
    messageId: fromStoredId('msg', job.messageId),
    eventType: job.kind,
    attempts: fact.data.attempt,
    reason: fact.data.reason,
    occurredAt: at,
  };
  const record = exhaustedRecord(exhausted);
  return isTold(result) ? [record, exhaustedNotice(exhausted, at)] : [record];
}

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
