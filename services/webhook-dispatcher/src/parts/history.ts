import { newId } from '@junction/contracts';
import { attemptEntry, operationEntry } from '../adapters/http/live-views.js';
import { isReplayRunning, replayRows } from '../adapters/postgres/history/advance-replays.js';
import { countReplay } from '../adapters/postgres/history/count-replay.js';
import { eventLog } from '../adapters/postgres/history/event-log.js';
import { liveTail } from '../adapters/postgres/history/live-tail.js';
import { redeliver } from '../adapters/postgres/history/redeliveries.js';
import { replays } from '../adapters/postgres/history/replays.js';
import { sendTest } from '../adapters/postgres/history/test-events.js';
import { webhookHours } from '../adapters/postgres/history/webhook-hours.js';
import { redactPayload } from '../adapters/postgres/privacy/redact-payload.js';
import { requestRedaction } from '../adapters/postgres/privacy/redact-user-payloads.js';
import { webhookRows } from '../adapters/postgres/webhooks/webhook-rows.js';
import type { Result } from '../application/dispatch/job.js';
import { type History, history } from '../application/history.js';
import { type Live, live } from '../application/live.js';
import { moveReplays } from '../application/replay-worker.js';
import { tally } from '../application/statistics.js';
import type { DispatcherPlatform, Tables } from './tables.js';

const SECOND_MS = 1_000;
/** Of each replica, for a replay that it was not told of. */
const REPLAYS_EVERY_MS = 5 * SECOND_MS;
/** While a replay runs: it may wait for room, or for transactions older than itself. */
const RUNNING_REPLAYS_EVERY_MS = SECOND_MS;
/** Replicas tell each other that there is a replay to move on. */
const REPLAY_BEGUN = 'replay_begun';

export interface Watching {
  readonly live: Live;
  /** Counts results that are written, and shows them to those who watch. */
  written(results: readonly Result[]): void;
}

/** Statistics and the live tail. Opened before anything is sent, and closed after it. */
export function openWatching({ pool, notifier, log, closing, job }: DispatcherPlatform): Watching {
  const onError = (error: unknown) => log.error({ err: error }, 'the live tail met an error');
  const tail = live(liveTail(pool), notifier, onError);
  const statistics = tally(webhookHours(pool).add);
  closing.add('statistics', statistics, async (statistics) => statistics.flush());
  job('statistics', SECOND_MS, async () => statistics.flush());
  job('listeners', 5 * SECOND_MS, tail.refresh);
  job('live tail', 60 * SECOND_MS, tail.purge);
  return {
    live: tail,
    written(results) {
      statistics.count(results);
      tail.tell(
        results.map(({ job }) => job.userId),
        () => results.map(attemptEntry),
      );
    },
  };
}

/** Looking back and sending again, with the replays that go on behind it. */
export function openHistory(
  platform: DispatcherPlatform,
  { unlock, index }: Tables,
  { live }: Watching,
): History {
  const { pool, notifier } = platform;
  startReplaying(platform, unlock, live);
  return history({
    webhooks: webhookRows(pool),
    redeliveries: { add: redeliver(pool, unlock, newDeliveryId) },
    replays: { ...replays(pool), count: countReplay(pool) },
    tests: { send: sendTest(pool, { unlock, index }, newDeliveryId) },
    payloads: { redact: redactPayload(pool), requestRedaction: requestRedaction(pool) },
    statistics: { hours: webhookHours(pool).read },
    events: eventLog(pool),
    newOperationId: () => newId('op'),
    replayBegun: () => notifier.notify(REPLAY_BEGUN),
  });
}

function startReplaying(
  { pool, notifier, job, closing }: DispatcherPlatform,
  unlock: Tables['unlock'],
  live: Live,
): void {
  const replaying = job('replays', REPLAYS_EVERY_MS, async () => {
    if (!(await isReplayRunning(pool))) return REPLAYS_EVERY_MS;
    await moveReplays(
      replayRows(pool, unlock, newDeliveryId),
      (operation) => live.tell([operation.userId], () => [operationEntry(operation)]),
      stopping.signal,
    );
    return RUNNING_REPLAYS_EVERY_MS;
  });
  // Closed before the job, which would otherwise wait for the end of the replays in hand.
  const stopping = closing.add('replays in hand', new AbortController(), (stop) => stop.abort());
  notifier.listen(REPLAY_BEGUN, () => replaying.wake());
}

export const newDeliveryId = () => newId('dlv');
