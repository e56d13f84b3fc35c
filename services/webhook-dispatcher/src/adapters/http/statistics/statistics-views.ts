import type { SummedHour } from '../../../application/statistics/ports.js';
import type {
  ReadEachStatistics,
  ReadStatistics,
} from '../../../application/statistics/read-statistics.js';
import { percentiles, sumCounts } from '../../../domain/statistics/latency.js';

type Counted = Omit<SummedHour, 'hour'>;

/** Shows each hour, oldest first, and all of them in sum. */
export function statisticsView({ hours, unsent, last, steps }: ReadStatistics) {
  return {
    items: hours.map(({ hour, ...counted }) => ({ hour, ...countsView(counted) })),
    total: countsView(sumOf(hours)),
    ...unsent,
    last_attempt: last ?? null,
    ...(steps && { steps }),
  };
}

/** Shows the statistics of all webhooks together, and of each by itself. */
export const eachStatisticsView = ({ each, ...all }: ReadEachStatistics) => ({
  ...statisticsView(all),
  webhooks: [...each].map(([webhookId, numbers]) => ({
    webhook_id: webhookId,
    ...statisticsView(numbers),
    marks: numbers.marks,
  })),
});

function sumOf(hours: readonly Counted[]): Counted {
  const sum = (of: (hour: Counted) => number) => hours.reduce((all, hour) => all + of(hour), 0);
  return {
    succeeded: sum(({ succeeded }) => succeeded),
    failed: sum(({ failed }) => failed),
    filtered: sum(({ filtered }) => filtered),
    latency: sumCounts(hours.map(({ latency }) => latency)),
  };
}

const SHARES = [0.5, 0.9, 0.95, 0.99];

function countsView({ succeeded, failed, filtered, latency }: Counted) {
  const attempts = succeeded + failed;
  const [p50, p90, p95, p99] = percentiles(latency, SHARES) ?? [];
  const tenths = (ms: number | undefined) => (ms === undefined ? null : Math.round(ms * 10) / 10);
  return {
    attempts,
    succeeded,
    failed,
    filtered,
    success_rate: attempts === 0 ? null : Math.round((succeeded / attempts) * 10_000) / 10_000,
    latency_ms: { p50: tenths(p50), p90: tenths(p90), p95: tenths(p95), p99: tenths(p99) },
  };
}
