import type { Result } from '../../application/dispatch/job.js';
import type { LiveEntry } from '../../application/ports.js';
import type { ReplayOperation } from '../../application/replay.js';
import { operationView } from './history-views.js';

/** An attempt as listeners see it: what the log of the delivery says without being opened. */
export const attemptEntry = ({ job, record, fact }: Result): LiveEntry => ({
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

export const operationEntry = (operation: ReplayOperation): LiveEntry => ({
  userId: operation.userId,
  webhookId: operation.webhookId,
  type: 'operation.progressed',
  data: operationView(operation),
});
