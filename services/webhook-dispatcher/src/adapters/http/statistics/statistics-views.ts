import type { LastAttempt, WebhookHour } from '../../../application/statistics/ports.js';
import type {
  ReadEachStatistics,
  ReadStatistics,
} from '../../../application/statistics/read-statistics.js';
import { addCounts, percentile } from '../../../domain/statistics/latency.js';

type Counted = Pick<WebhookHour, 'succeeded' | 'failed' | 'filtered' | 'latency'>;

const NOTHING: Counted = { succeeded: 0, failed: 0, filtered: 0, latency: [] };

/** Sums the statistics of the webhooks for each hour, oldest first, and in total. */
export function statisticsView({ hours, unsent, last, steps }: ReadStatistics) {
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
    ...unsent,
    last_attempt: last === undefined ? null : lastView(last),
    ...(steps && { steps: steps.map(({ kind, ...count }) => ({ event_type: kind, ...count })) }),
  };
}

const lastView = ({ webhookId, deliveryId, at, result }: LastAttempt) => ({
  webhook_id: webhookId,
  delivery_id: deliveryId,
  at,
  result,
});

/** Shows the statistics of all webhooks together, and of each by itself. */
export const eachStatisticsView = ({ each, ...all }: ReadEachStatistics) => ({
  ...statisticsView(all),
  webhooks: [...each].map(([webhookId, numbers]) => ({
    webhook_id: webhookId,
    ...statisticsView(numbers),
    marks: numbers.marks,
  })),
});

const add = (sum: Counted, hour: Counted): Counted => ({
  succeeded: sum.succeeded + hour.succeeded,
  failed: sum.failed + hour.failed,
  filtered: sum.filtered + hour.filtered,
  latency: addCounts(sum.latency, hour.latency),
});

function countsView({ succeeded, failed, filtered, latency }: Counted) {
  const attempts = succeeded + failed;
  const ms = (share: number) => {
    const found = percentile(latency, share);
    return found === undefined ? null : Math.round(found * 10) / 10;
  };
  return {
    attempts,
    succeeded,
    failed,
    filtered,
    success_rate: attempts === 0 ? null : Math.round((succeeded / attempts) * 10_000) / 10_000,
    latency_ms: { p50: ms(0.5), p90: ms(0.9), p95: ms(0.95), p99: ms(0.99) },
  };
}
