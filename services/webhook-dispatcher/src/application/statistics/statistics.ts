import { bucketOf, LATENCY_BUCKETS } from '../../domain/statistics/latency.js';
import type { Result } from '../job.js';
import type { WebhookHour } from './ports.js';

export interface Tally {
  /** Counts attempts whose results are written. */
  count(results: readonly Result[]): void;
  /** Writes what was counted since the last time. Counts that cannot be written are kept for the next time. */
  flush(): Promise<void>;
}

interface Counting {
  readonly webhookId: string;
  readonly userId: string;
  readonly hour: Date;
  succeeded: number;
  failed: number;
  readonly latency: number[];
}

const HOUR_MS = 3_600_000;

/**
 * Counts attempts in memory and adds them to the stored hours now and then: one row for a webhook and a second, however
 * many requests it got. A replica that is killed loses what it counted in that second.
 */
export function tally(add: (hours: readonly WebhookHour[]) => Promise<void>): Tally {
  let counting = new Map<string, Counting>();

  const countOne = ({ job: { webhookId, userId }, record }: Result) => {
    const hourMs = Math.floor(record.startedAt.getTime() / HOUR_MS) * HOUR_MS;
    const key = `${webhookId}/${hourMs}`;
    let hour = counting.get(key);
    if (hour === undefined) {
      const latency = Array.from({ length: LATENCY_BUCKETS }, () => 0);
      hour = { webhookId, userId, hour: new Date(hourMs), succeeded: 0, failed: 0, latency };
      counting.set(key, hour);
    }
    if (record.outcome.kind === 'succeeded') hour.succeeded++;
    else hour.failed++;
    const bucket = bucketOf(record.totalMs);
    hour.latency[bucket] = (hour.latency[bucket] ?? 0) + 1;
  };

  return {
    count(results) {
      // A request that was refused before it was sent says nothing about the receiver.
      for (const result of results) {
        if (result.record.outcome.kind !== 'refused') countOne(result);
      }
    },

    async flush() {
      if (counting.size === 0) return;
      const counted = counting;
      counting = new Map();
      try {
        await add([...counted.values()]);
      } catch (error) {
        restore(counting, counted);
        throw error;
      }
    },
  };
}

function restore(counting: Map<string, Counting>, counted: ReadonlyMap<string, Counting>): void {
  for (const [key, old] of counted) {
    const hour = counting.get(key);
    if (hour === undefined) {
      counting.set(key, old);
      continue;
    }
    hour.succeeded += old.succeeded;
    hour.failed += old.failed;
    for (const [bucket, count] of old.latency.entries()) {
      hour.latency[bucket] = (hour.latency[bucket] ?? 0) + count;
    }
  }
}
