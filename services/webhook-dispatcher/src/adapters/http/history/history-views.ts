import { EVENT_CATALOGUE } from '@junction/contracts';
import type { EventDetail, EventSummary } from '../../../application/history/ports.js';
import type { ReplayOperation, ReplaySpan } from '../../../application/replaying/ports.js';
import type { WebhookHour } from '../../../application/statistics/ports.js';
import type {
  ReadEachStatistics,
  ReadStatistics,
} from '../../../application/statistics/read-statistics.js';
import type { TriedEvent } from '../../../application/webhooks/preview-filter.js';
import { isMatch, type Verdict } from '../../../domain/delivery/match.js';
import { addCounts, percentile } from '../../../domain/statistics/latency.js';
import { deliveryView } from '../views.js';

const spanView = ({ from, to, kinds, outcomes }: ReplaySpan) => ({
  from,
  to,
  kinds: kinds ?? null,
  outcomes,
});

/** Shows what a replay would send, so that the caller can confirm it. */
export const replayPreview = (
  span: ReplaySpan,
  { count, isExact }: { readonly count: number; readonly isExact: boolean },
) => ({ ...spanView(span), count, count_is_exact: isExact, confirmed: false as const });

export const operationView = (operation: ReplayOperation) => ({
  operation_id: operation.operationId,
  kind: 'replay' as const,
  webhook_id: operation.webhookId,
  status: operation.status,
  reason: operation.reason,
  ...spanView(operation),
  count: operation.count,
  count_is_exact: operation.isExact,
  sent: operation.sent,
  skipped: operation.skipped,
  progress: operation.progress,
  requested_at: operation.requestedAt,
  ended_at: operation.endedAt,
});

export const triedEventView = ({ kind, came, passes }: TriedEvent) => ({
  message_id: came?.messageId ?? null,
  event_type: kind,
  received_at: came?.at ?? null,
  passes,
});

type Counted = Pick<WebhookHour, 'succeeded' | 'failed' | 'latency'>;

const NOTHING: Counted = { succeeded: 0, failed: 0, latency: [] };

/** Sums the statistics of the webhooks for each hour, oldest first, and in total. */
export function statisticsView({ hours, waiting }: ReadStatistics) {
  const byHour = new Map<number, Counted>();
  for (const hour of hours) {
    const hourMs = hour.hour.getTime();
    byHour.set(hourMs, add(byHour.get(hourMs) ?? NOTHING, hour));
  }
  return {
    items: [...byHour].map(([hourMs, counted]) => ({
      hour: new Date(hourMs),
      ...countsView(counted),
    })),
    total: countsView(hours.reduce(add, NOTHING)),
    waiting,
  };
}

/** Shows the statistics of all webhooks together, and of each by itself. */
export const eachStatisticsView = ({ each, ...all }: ReadEachStatistics) => ({
  ...statisticsView(all),
  webhooks: [...each].map(([webhookId, numbers]) => ({
    webhook_id: webhookId,
    ...statisticsView(numbers),
  })),
});

const add = (sum: Counted, hour: Counted): Counted => ({
  succeeded: sum.succeeded + hour.succeeded,
  failed: sum.failed + hour.failed,
  latency: addCounts(sum.latency, hour.latency),
});

function countsView({ succeeded, failed, latency }: Counted) {
  const attempts = succeeded + failed;
  const ms = (share: number) => {
    const found = percentile(latency, share);
    return found === undefined ? null : Math.round(found * 10) / 10;
  };
  return {
    attempts,
    succeeded,
    failed,
    success_rate: attempts === 0 ? null : Math.round((succeeded / attempts) * 10_000) / 10_000,
    latency_ms: { p50: ms(0.5), p90: ms(0.9), p95: ms(0.95), p99: ms(0.99) },
  };
}

/** The reason why a webhook got an event, or did not. */
const VERDICTS: Readonly<Record<Verdict, string>> = {
  pending: 'It matched: a delivery was made.',
  held: 'It matched, but the webhook was disabled: the delivery is held, and goes out by a replay.',
  kind_not_selected: 'The webhook names neither this kind of event nor a wildcard that covers it.',
  about_itself: 'The event is about this webhook, which is told nothing of itself.',
  filtered: 'The data of the event do not pass the filter of the webhook.',
};

const verdictView = ([webhookId, verdict]: readonly [string, Verdict]) => ({
  webhook_id: webhookId,
  matched: isMatch(verdict),
  verdict,
  detail: VERDICTS[verdict],
});

export const eventView = (event: EventSummary) => ({
  message_id: event.messageId,
  event_type: event.kind,
  source: event.source,
  id: event.id,
  received_at: event.receivedAt,
  repeats: event.repeats,
  last_repeat_at: event.repeatedAt,
  webhooks: Object.entries(event.verdicts).map(verdictView),
});

export const eventDetailView = (event: EventDetail) => ({
  ...eventView(event),
  deliveries: event.deliveries.map(deliveryView),
});

/** Every kind that a webhook can name. */
export const eventTypesView = () => ({
  items: EVENT_CATALOGUE.map(({ kind, description, isNotice, schema, example }) => ({
    event_type: kind,
    description,
    opt_in: isNotice,
    schema,
    example,
  })),
  next_cursor: null,
});
