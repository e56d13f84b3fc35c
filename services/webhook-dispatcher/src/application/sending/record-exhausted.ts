import { isNoticeKind } from '@junction/contracts';
import { disableWebhook } from '../disable-webhook.js';
import type { Result } from '../job.js';
import type { Ports } from '../ports.js';
import type { Transaction, WebhookNotice, WebhookRecord } from '../unit-of-work.js';
import type { DispatchOptions } from './ports.js';

/**
 * Writes that deliveries will not be tried again, publishes that, and notifies their owners. Safe to repeat: a message
 * that is published twice has the same id. Returns the results that were written; shards of the others belong to
 * another replica.
 */
export const recordExhausted =
  ({ unitOfWork }: Pick<Ports, 'unitOfWork'>) =>
  async (results: readonly Result[]): Promise<readonly Result[]> =>
    unitOfWork.inTransaction((tx) => record(tx, results));

/**
 * Writes that a delivery will not be tried again because its receiver answered that it is gone (410), and disables its
 * webhook. When the webhook has changed since the attempt was sent, the attempt has only failed.
 */
export const recordGone =
  ({ unitOfWork, webhookChanged }: Pick<Ports, 'unitOfWork' | 'webhookChanged'>) =>
  async (result: Result): Promise<readonly Result[]> => {
    const { webhookId, userId, kind } = result.job;
    const written = await unitOfWork.inTransaction(async (tx) => {
      const { version, otherwise } = result;
      if (otherwise && (await tx.webhooks.state({ webhookId }))?.version !== version) {
        return record(tx, [{ ...result, fact: otherwise, isOutdated: true }]);
      }
      const recorded = await record(tx, [result]);
      if (recorded.length > 0) {
        const isNotified = !isNoticeKind(kind);
        await disableWebhook(tx, webhookId, { reason: 'gone_410', at: result.at, isNotified });
      }
      return recorded;
    });
    webhookChanged({ webhookId, userId });
    return written;
  };

/**
 * Writes attempts that the egress guard refused. The owner is notified of the first one after other results, since the
 * refusals go on until the address behind the name, or the url of the webhook, changes.
 */
export const recordRefused =
  ({ unitOfWork }: Pick<Ports, 'unitOfWork'>) =>
  async (results: readonly Result[]): Promise<readonly Result[]> =>
    unitOfWork.inTransaction(async (tx) => {
      const webhookIds = [...new Set(results.map(({ job }) => job.webhookId))];
      const reasons = await tx.failing.reasons(webhookIds);
      const written = await record(tx, results);
      const isNews = ({ job, record: { result }, isOutdated }: Result) =>
        !isOutdated && !isNoticeKind(job.kind) && reasons.get(job.webhookId) !== result;
      const firsts = new Map(
        written.filter(isNews).map((result) => [result.job.webhookId, result] as const),
      );
      await tx.outbox.notify([...firsts.values()].map(refusalNoticeOf));
      return written;
    });

interface WritePorts extends Pick<Ports, 'unitOfWork' | 'webhookChanged'> {
  /** Writes the results of attempts, and returns those that were written. */
  readonly writeAttempts: (results: readonly Result[]) => Promise<readonly Result[]>;
  /** Returns a write in which a result that cannot be stored fails alone. */
  readonly apart: (write: Write) => Write;
  /** Called with the results that were written. */
  readonly written: (results: readonly Result[]) => void;
}

type Write = (results: readonly Result[]) => Promise<void>;

/** Returns the writes of results, by batch. */
export function resultWrites(ports: WritePorts): DispatchOptions['write'] {
  const { writeAttempts, apart, written } = ports;
  const [exhaust, refuse, endGone] = [
    recordExhausted(ports),
    recordRefused(ports),
    recordGone(ports),
  ];
  return {
    attempts: apart(async (results) => written(await writeAttempts(results))),
    exhausted: apart(async (results) => written(await exhaust(results))),
    refused: apart(async (results) => written(await refuse(results))),
    gone: apart(async (results) => {
      for (const result of results) written(await endGone(result));
    }),
  };
}

const refusalNoticeOf = ({ job, at, record: { result: reason } }: Result): WebhookNotice => ({
  kind: 'webhook.refused',
  id: `webhook.refused/${job.deliveryId}/${job.attempt}`,
  userId: job.userId,
  data: { webhook_id: job.webhookId, occurred_at: at.toISOString(), reason },
});

async function record(tx: Transaction, results: readonly Result[]): Promise<readonly Result[]> {
  const written = await tx.results.write(results);
  const records = written.flatMap(recordOf);
  await tx.outbox.publish(records);
  // No notice follows the end of another: two webhooks of an owner could go on notifying each other.
  const ofEvents = records.filter(({ message }) => !isNoticeKind(message.eventType));
  await tx.outbox.notify(ofEvents.map(noticeOf));
  return written;
}

type Exhausted = Extract<WebhookRecord, { type: 'delivery.exhausted' }>;

function recordOf({ job, fact, at }: Result): readonly Exhausted[] {
  if (fact.type !== 'delivery.exhausted' && fact.type !== 'delivery.refused') return [];
  const { attempt: attempts, reason } = fact.data;
  const message = {
    userId: job.userId,
    webhookId: job.webhookId,
    deliveryId: job.deliveryId,
    messageId: job.messageId,
    eventType: job.kind,
    attempts,
    reason,
    occurredAt: at,
  };
  return [{ type: 'delivery.exhausted', id: `${message.deliveryId}/${attempts}`, message }];
}

const noticeOf = ({ id, message }: Exhausted): WebhookNotice => ({
  kind: 'webhook.exhausted',
  id,
  userId: message.userId,
  data: {
    webhook_id: message.webhookId,
    delivery_id: message.deliveryId,
    message_id: message.messageId,
    event_type: message.eventType,
    attempts: message.attempts,
    reason: message.reason,
    occurred_at: message.occurredAt?.toISOString() ?? '',
  },
});
