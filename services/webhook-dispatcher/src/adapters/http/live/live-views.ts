import type { IncomingEvent, TakenEvent } from '../../../application/intake/ports.js';
import type { Result } from '../../../application/job.js';
import type { Live } from '../../../application/live/live.js';
import type { LiveEntry } from '../../../application/live/ports.js';
import type { ReplayOperation } from '../../../application/replaying/ports.js';
import type { WebhookOwner } from '../../../application/unit-of-work.js';
import { deliveryBody } from '../../../domain/delivery/body.js';
import { operationView } from '../replay-views.js';

/** Returns what shows those who watch what happens. */
export const showing = ({ tell }: Pick<Live, 'tell'>) => ({
  attempted(results: readonly Result[]) {
    const userIds = results.map((result) => result.job.userId);
    tell('deliveries', userIds, () => results.map(attemptEntry));
  },
  /** Shows events that are filed to those who listen, and deliveries that wait to those who watch. */
  filed(events: readonly TakenEvent[]) {
    const userIds = events.map(({ event }) => event.userId);
    tell('events', userIds, () => events.map(({ event }) => eventEntry(event)));
    tell('deliveries', userIds, () => events.flatMap(filedEntries));
  },
  /** Shows that a webhook changed, its circuit, or what waits for it. */
  changed(webhook: WebhookOwner) {
    tell('deliveries', [webhook.userId], () => [changeEntry(webhook)]);
  },
  /** Shows how far a replay has come. */
  moved(operation: ReplayOperation) {
    tell('deliveries', [operation.userId], () => [operationEntry(operation)]);
  },
});

/** An attempt as listeners see it: what the log of the delivery says without being opened. */
const attemptEntry = ({ job, record, fact }: Result): LiveEntry => ({
  userId: job.userId,
  webhookId: job.webhookId,
  type: 'delivery.attempted',
  data: {
    delivery_id: job.deliveryId,
    webhook_id: job.webhookId,
    message_id: job.messageId,
    event_type: job.kind,
    attempt: job.attempt,
    at: record.startedAt,
    result: record.result,
    response_status: record.httpStatus,
    total_ms: Math.round(record.totalMs),
    status:
      fact.type === 'delivery.attempt_failed' ? 'retrying' : fact.type.slice('delivery.'.length),
  },
});

/** The deliveries of an event that were not accepted at once: they wait, or are held. */
const filedEntries = ({ deliveries }: TakenEvent): readonly LiveEntry[] =>
  deliveries
    .filter(({ result }) => result === undefined)
    .map(({ job, verdict }) => ({
      userId: job.userId,
      webhookId: job.webhookId,
      type: 'delivery.filed',
      data: {
        delivery_id: job.deliveryId,
        webhook_id: job.webhookId,
        message_id: job.messageId,
        event_type: job.kind,
        status: verdict,
      },
    }));

/** That a webhook is to be read again. */
const changeEntry = ({ userId, webhookId }: WebhookOwner): LiveEntry => ({
  userId,
  webhookId,
  type: 'webhook.changed',
  data: { webhook_id: webhookId },
});

const operationEntry = (operation: ReplayOperation): LiveEntry => ({
  userId: operation.userId,
  webhookId: operation.webhookId,
  type: 'operation.progressed',
  data: operationView(operation),
});

/** The `webhook_id` in the body of an event that goes to a listener and to no webhook. */
const NO_WEBHOOK = 'wh_00000000-0000-0000-0000-000000000000';

/** Shows an event to a listener as a webhook would get it. */
const eventEntry = ({ userId, messageId, kind, time, at, data }: IncomingEvent): LiveEntry => ({
  userId,
  webhookId: NO_WEBHOOK,
  type: 'event.received',
  data: { message_id: messageId, event_type: kind, received_at: at },
  body: deliveryBody({ eventType: kind, userId, time, webhookId: NO_WEBHOOK }, data),
});
