import { bucketOf, LATENCY_BUCKETS } from '../../domain/statistics/latency.js';
import { MARKS_MAX, markOf, responseOf } from '../../domain/statistics/marks.js';
import type { TakenEvent } from '../intake/ports.js';
import type { Result } from '../job.js';
import type { CountedHour } from './ports.js';

interface Counting {
  readonly webhookId: string;
  readonly userId: string;
  readonly hour: Date;
  succeeded: number;
  failed: number;
  filtered: number;
  readonly latency: number[];
  lastDeliveryId: string | null;
  lastAt: Date | null;
  lastResult: string | null;
  marks: string;
  readonly responses: Record<string, number>;
  readonly fiveMinutes: Record<string, number>;
}

const HOUR_MS = 3_600_000;
const FIVE_MINUTES_MS = 300_000;

/**
 * Counts attempts, and events that filters dropped, in memory and adds them to the stored hours now and then: one row
 * for a webhook and a second, however many requests it got. A replica that is killed loses what it counted in that
 * second.
 */
export function tally(store: (hours: readonly CountedHour[]) => Promise<void>) {
  let counting: Hours = new Map();

  return {
    /** Counts attempts whose results are written. */
    count(results: readonly Result[]) {
      // A request that was refused before it was sent says nothing about the receiver.
      for (const result of results) {
        if (result.record.outcome.kind !== 'refused') countOne(counting, result);
      }
    },

    /** Counts what filters dropped, of events that are filed. */
    countFiltered(events: readonly TakenEvent[]) {
      for (const { event, verdicts, filtered } of events) {
        if (filtered === 0) continue;
        for (const [webhookId, verdict] of Object.entries(verdicts)) {
          if (verdict !== 'filtered') continue;
          hourOf(counting, webhookId, event.userId, event.at).filtered++;
        }
      }
    },

    /** Writes what was counted since the last time. Counts that cannot be written are kept for the next time. */
    async flush() {
      if (counting.size === 0) return;
      const counted = counting;
      counting = new Map();
      try {
        await store([...counted.values()]);
      } catch (error) {
        restore(counting, counted);
        throw error;
      }
    },
  };
}

type Hours = Map<string, Counting>;

function hourOf(counting: Hours, webhookId: string, userId: string, at: Date): Counting {
  const hourMs = Math.floor(at.getTime() / HOUR_MS) * HOUR_MS;
  const key = `${webhookId}/${hourMs}`;
  const found = counting.get(key);
  if (found !== undefined) return found;
  const hour = nothingCounted(webhookId, userId, new Date(hourMs));
  counting.set(key, hour);
  return hour;
}

const nothingCounted = (webhookId: string, userId: string, hour: Date): Counting => ({
  webhookId,
  userId,
  hour,
  succeeded: 0,
  failed: 0,
  filtered: 0,
  latency: Array.from({ length: LATENCY_BUCKETS }, () => 0),
  lastDeliveryId: null,
  lastAt: null,
  lastResult: null,
  marks: '',
  responses: {},
  fiveMinutes: {},
});

function countOne(counting: Hours, { job, record }: Result): void {
  const { startedAt } = record;
  const hour = hourOf(counting, job.webhookId, job.userId, startedAt);
  if (hour.lastAt === null || hour.lastAt <= startedAt) {
    hour.lastDeliveryId = job.deliveryId;
    hour.lastAt = startedAt;
    hour.lastResult = record.result;
  }
  if (record.outcome.kind === 'succeeded') hour.succeeded++;
  else hour.failed++;
  const bucket = bucketOf(record.totalMs);
  hour.latency[bucket] = (hour.latency[bucket] ?? 0) + 1;
  hour.marks = (hour.marks + markOf(record)).slice(-MARKS_MAX);
  const response = `${job.kind} ${responseOf(record.httpStatus)}`;
  const fiveMinutes = Math.floor((startedAt.getTime() - hour.hour.getTime()) / FIVE_MINUTES_MS);
  add(hour.responses, response);
  add(hour.fiveMinutes, `${fiveMinutes} ${response}`);
}

function add(counts: Record<string, number>, key: string, count = 1): void {
  counts[key] = (counts[key] ?? 0) + count;
}

function restore(counting: Hours, counted: Hours): void {
  for (const [key, old] of counted) {
    const hour = counting.get(key);
    if (hour === undefined) {
      counting.set(key, old);
      continue;
    }
    hour.succeeded += old.succeeded;
    hour.failed += old.failed;
    hour.filtered += old.filtered;
    if (old.lastAt !== null && (hour.lastAt === null || hour.lastAt < old.lastAt)) {
      const { lastDeliveryId, lastAt, lastResult } = old;
      Object.assign(hour, { lastDeliveryId, lastAt, lastResult });
    }
    for (const [bucket, count] of old.latency.entries()) {
      hour.latency[bucket] = (hour.latency[bucket] ?? 0) + count;
    }
    hour.marks = (old.marks + hour.marks).slice(-MARKS_MAX);
    for (const name of ['responses', 'fiveMinutes'] as const) {
      for (const [key, count] of Object.entries(old[name])) add(hour[name], key, count);
    }
  }
}
