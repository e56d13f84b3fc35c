import {
  attemptEntry,
  changeEntry,
  eventEntry,
  filedEntries,
  operationEntry,
} from '../adapters/http/live/live-views.js';
import { liveTail } from '../adapters/postgres/live/live-tail.js';
import { webhookHours } from '../adapters/postgres/statistics/webhook-hours.js';
import type { TakenEvent } from '../application/intake/ports.js';
import type { Result } from '../application/job.js';
import { live } from '../application/live/live.js';
import type { ReplayOperation } from '../application/replaying/ports.js';
import { tally } from '../application/statistics/statistics.js';
import type { WebhookOwner } from '../application/unit-of-work.js';
import { resultMeasures } from './measures.js';
import type { DispatcherPlatform, Tables } from './tables.js';

const SECOND_MS = 1_000;

export type Watching = ReturnType<typeof openWatching>;

/** Opens statistics and the live tail: before anything is sent, so that they are closed after it. */
export function openWatching(
  { backgroundPool: pool, meter, notifier, log, closing, job }: DispatcherPlatform,
  { writing, openSealed }: Tables,
) {
  const onError = (error: unknown) => log.error({ err: error }, 'the live tail met an error');
  const tail = live(liveTail(pool, { unlock: writing.unlock, openSealed }), notifier, onError);
  const statistics = tally(webhookHours(pool).add);
  const measure = resultMeasures(meter);
  closing.add('statistics', statistics, async (statistics) => statistics.flush());
  job('statistics', SECOND_MS, async () => statistics.flush());
  job('listeners', 5 * SECOND_MS, tail.refresh);
  job('live tail', 60 * SECOND_MS, tail.purge);
  return {
    live: tail,
    /** Counts results that are written, and shows them to those who watch. */
    written(results: readonly Result[]) {
      measure(results);
      statistics.count(results);
      const userIds = results.map((result) => result.job.userId);
      tail.tell('deliveries', userIds, () => results.map(attemptEntry));
    },
    /** Shows events that are filed to those who listen, and deliveries that wait to those who watch. */
    filed(events: readonly TakenEvent[]) {
      const userIds = events.map(({ event }) => event.userId);
      tail.tell('events', userIds, () => events.map(({ event }) => eventEntry(event)));
      tail.tell('deliveries', userIds, () => events.flatMap(filedEntries));
    },
    /** Shows that a webhook changed, its circuit, or what waits for it. */
    changed(webhook: WebhookOwner) {
      tail.tell('deliveries', [webhook.userId], () => [changeEntry(webhook)]);
    },
    /** Shows how far a replay has come. */
    moved(operation: ReplayOperation) {
      tail.tell('deliveries', [operation.userId], () => [operationEntry(operation)]);
    },
  };
}
