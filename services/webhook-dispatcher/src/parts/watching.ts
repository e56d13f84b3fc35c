import { showing } from '../adapters/http/live/live-views.js';
import { resultMeasures } from '../adapters/metrics/result-measures.js';
import { liveTail } from '../adapters/postgres/live/live-tail.js';
import { webhookHours } from '../adapters/postgres/statistics/webhook-hours.js';
import type { TakenEvent } from '../application/intake/ports.js';
import type { Result } from '../application/job.js';
import { live } from '../application/live/live.js';
import type { Tables } from '../application/ports.js';
import { tally } from '../application/statistics/statistics.js';
import type { DispatcherPlatform } from './platform.js';

export type Watching = ReturnType<typeof openWatching>;

/** Opens statistics and the live tail: before anything is sent, so that they are closed after it. */
export function openWatching(
  { backgroundPool: pool, meter, notifier, log, closing, job }: DispatcherPlatform,
  { writing: { unlock }, openSealed }: Tables,
) {
  const onError = (error: unknown) => log.error({ err: error }, 'the live tail met an error');
  const tail = live(liveTail(pool, { unlock, openSealed }), notifier, onError);
  const statistics = tally(webhookHours(pool).add);
  const measure = resultMeasures(meter);
  closing.add('statistics', statistics, async (one) => one.flush());
  job('statistics', 1_000, statistics.flush);
  job('listeners', 5_000, tail.refresh);
  job('live tail', 60_000, tail.purge);
  const { attempted, filed, ...shown } = showing(tail);
  return {
    live: tail,
    ...shown,
    /** Counts results that are written, and shows them to those who watch. */
    written(results: readonly Result[]) {
      measure(results);
      statistics.count(results);
      attempted(results);
    },
    /** Counts what filters dropped of events that are filed, and shows the events to those who listen. */
    filed(events: readonly TakenEvent[]) {
      statistics.countFiltered(events);
      filed(events);
    },
  };
}
