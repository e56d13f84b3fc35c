import {
  attemptEntry,
  changeEntry,
  eventEntry,
  filedEntries,
  operationEntry,
} from '../adapters/http/live/live-views.js';
import { liveTail } from '../adapters/postgres/live/live-tail.js';
import { isReplayRunning } from '../adapters/postgres/replaying/replay-table.js';
import { webhookHours } from '../adapters/postgres/statistics/webhook-hours.js';
import type { TakenEvent } from '../application/intake/ports.js';
import type { Result } from '../application/job.js';
import { type Live, live } from '../application/live/live.js';
import { moveReplays } from '../application/replaying/replay-worker.js';
import { tally } from '../application/statistics/statistics.js';
import type { WebhookOwner } from '../application/unit-of-work.js';
import type { DeliveryMeasures } from './measures.js';
import type { DispatcherPlatform, Tables } from './tables.js';

const SECOND_MS = 1_000;
/** Notification by which replicas learn that there is a replay to move on. */
export const REPLAY_BEGUN = 'replay_begun';

export interface Watching {
  readonly live: Live;
  /** Counts results that are written, and shows them to those who watch. */
  written(results: readonly Result[]): void;
  /** Shows events that are filed to those who listen, and deliveries that wait to those who watch. */
  filed(events: readonly TakenEvent[]): void;
  /** Shows that a webhook changed, its circuit, or what waits for it. */
  changed(webhook: WebhookOwner): void;
}

/** Opens statistics and the live tail: before anything is sent, so that they are closed after it. */
export function openWatching(
  { backgroundPool: pool, notifier, log, closing, job }: DispatcherPlatform,
  { writing, openSealed }: Tables,
  measures: DeliveryMeasures,
): Watching {
  const onError = (error: unknown) => log.error({ err: error }, 'the live tail met an error');
  const tail = live(liveTail(pool, { unlock: writing.unlock, openSealed }), notifier, onError);
  const statistics = tally(webhookHours(pool).add);
  closing.add('statistics', statistics, async (statistics) => statistics.flush());
  job('statistics', SECOND_MS, async () => statistics.flush());
  job('listeners', 5 * SECOND_MS, tail.refresh);
  job('live tail', 60 * SECOND_MS, tail.purge);
  return {
    live: tail,
    written(results) {
      measures.results(results);
      statistics.count(results);
      const userIds = results.map((result) => result.job.userId);
      tail.tell('deliveries', userIds, () => results.map(attemptEntry));
    },
    filed(events) {
      const userIds = events.map(({ event }) => event.userId);
      tail.tell('events', userIds, () => events.map(({ event }) => eventEntry(event)));
      tail.tell('deliveries', userIds, () => events.flatMap(filedEntries));
    },
    changed(webhook) {
      tail.tell('deliveries', [webhook.userId], () => [changeEntry(webhook)]);
    },
  };
}

/** Moves replays on, each second while one runs: a replay may wait for room or for older transactions. */
export function startReplaying(
  platform: DispatcherPlatform,
  { quietWork }: Tables,
  live: Live,
): void {
  const { backgroundPool: pool, notifier, job, closing } = platform;
  const replaying = job('replays', 5 * SECOND_MS, async () => {
    if (!(await isReplayRunning(pool))) return 5 * SECOND_MS;
    const moved = (one: Parameters<typeof operationEntry>[0]) =>
      live.tell('deliveries', [one.userId], () => [operationEntry(one)]);
    await moveReplays(quietWork, moved, stopping.signal);
    return SECOND_MS;
  });
  // Closed before the job, which would otherwise wait for the end of the replays in hand.
  const stopping = closing.add('replays in hand', new AbortController(), (stop) => stop.abort());
  notifier.listen(REPLAY_BEGUN, () => replaying.wake());
}
