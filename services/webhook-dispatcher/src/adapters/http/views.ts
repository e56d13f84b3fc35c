import type {
  DeliveryDetail,
  DeliverySummary,
  LoggedAttempt,
} from '../../application/delivery-log.js';
import type { Page } from '../../application/page.js';
import type { WebhookRow } from '../../projections/webhook-row.js';

/** A webhook as its owner sees it. The secret is never among it. */
export const webhookView = (webhook: WebhookRow) => ({
  webhook_id: webhook.webhook_id,
  url: webhook.url,
  events: webhook.events,
  enabled: webhook.status !== 'disabled',
  has_secret: webhook.has_secret,
  status: webhook.status,
  created_at: webhook.created_at,
  updated_at: webhook.updated_at,
  ...(webhook.disabled_reason !== null && { disabled_reason: webhook.disabled_reason }),
  ...(webhook.circuit_opened_at !== null && {
    circuit: {
      state: 'open',
      opened_at: webhook.circuit_opened_at,
      probe_at: webhook.circuit_probe_at,
    },
  }),
});

export const deliveryView = (delivery: DeliverySummary) => ({
  delivery_id: delivery.deliveryId,
  webhook_id: delivery.webhookId,
  message_id: delivery.messageId,
  event_type: delivery.kind,
  status: delivery.status,
  reason: delivery.reason,
  attempt_count: delivery.attempts,
  created_at: delivery.createdAt,
  next_attempt_at: delivery.nextAttemptAt,
  ended_at: delivery.endedAt,
});

export const deliveryDetailView = (delivery: DeliveryDetail) => ({
  ...deliveryView(delivery),
  attempts: delivery.log.map(attemptView),
});

const attemptView = (attempt: LoggedAttempt) => ({
  attempt: attempt.attempt,
  at: attempt.at,
  result: attempt.result,
  response_status: attempt.httpStatus,
  headers_ms: attempt.headersMs,
  total_ms: attempt.totalMs,
  response_sample: attempt.responseSample,
});

/** A cursor is the last id that was shown: it needs no secret, for every list is the caller's own. */
export const pageView = <T>({ items, nextAfter }: Page<T>, view: (item: T) => object) => ({
  items: items.map(view),
  next_cursor: nextAfter ?? null,
});
