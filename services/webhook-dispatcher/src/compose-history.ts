import { repeat } from '@junction/async';
import { newId } from '@junction/contracts';
import type { Notifier } from '@junction/eventsourcing-postgres';
import { type Closing, type Logger } from '@junction/service-kit';
import type pg from 'pg';
import { attemptEntry, operationEntry } from './adapters/http/live-views.js';
import { isReplayRunning, replayRows } from './adapters/postgres/history/advance-replays.js';
import { countReplay } from './adapters/postgres/history/count-replay.js';
import { eventLog } from './adapters/postgres/history/event-log.js';
import { liveTail } from './adapters/postgres/history/live-tail.js';
import { redeliver } from './adapters/postgres/history/redeliveries.js';
import { replays } from './adapters/postgres/history/replays.js';
import { sendTest } from './adapters/postgres/history/test-events.js';
import { webhookHours } from './adapters/postgres/history/webhook-hours.js';
import { redactPayload } from './adapters/postgres/privacy/redact-payload.js';
import { requestRedaction } from './adapters/postgres/privacy/redact-user-payloads.js';
import type { Unlock } from './adapters/postgres/sealed-rows.js';
import type { WebhookIndex } from './adapters/postgres/webhooks/webhook-index.js';
import { webhookRows } from './adapters/postgres/webhooks/webhook-rows.js';
import type { Result } from './application/dispatch/job.js';
import { type History, history } from './application/history.js';
import { type Live, live } from './application/live.js';
import { moveReplays } from './application/replay-worker.js';
import { tally } from './application/statistics.js';

const STATISTICS_EVERY_MS = 1_000;
const LISTENERS_EVERY_MS = 5_000;
const PURGE_EVERY_MS = 60_000;
/** While one runs: it may wait for room, or for transactions older than itself. */
const RUNNING_REPLAYS_EVERY_MS = 1_000;
/** For one that this replica was not told of. */
const REPLAYS_EVERY_MS = 5_000;
/** Replicas tell each other that there is a replay to move on. */
const REPLAY_BEGUN = 'replay_begun';

export interface HistoryParts {
  readonly pool: pg.Pool;
  readonly unlock: Unlock;
  readonly index: WebhookIndex;
  readonly notifier: Notifier;
  readonly log: Logger;
  readonly closing: Closing;
}

export interface Watching {
  readonly live: Live;
  /** Results that are written: counts them, and tells those who listen. */
  written(results: readonly Result[]): void;
}

/** What watches results as they are written. Opened before anything sends, and closed after it. */
export function composeWatching({ pool, notifier, log, closing }: HistoryParts): Watching {
  const onError = (error: unknown) => log.error({ err: error }, 'watching met an error');
  const tail = live(liveTail(pool), notifier, onError);
  const statistics = tally(webhookHours(pool).add);
  closing.add('statistics', statistics, async (statistics) => statistics.flush());
  for (const [name, work, everyMs] of [
    ['statistics', async () => statistics.flush(), STATISTICS_EVERY_MS],
    ['listeners', async () => tail.refresh(), LISTENERS_EVERY_MS],
    ['tail', async () => tail.purge(), PURGE_EVERY_MS],
  ] as const) {
    closing.add(name, repeat(everyMs, work, onError), (job) => job.stop());
  }

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

/** Looking back and sending again, with the work that goes on behind it. */
export function composeHistory(
  { pool, unlock, index, notifier, log, closing }: HistoryParts,
  { live }: Watching,
): History {
  const newDeliveryId = () => newId('dlv');
  const onError = (error: unknown) => log.error({ err: error }, 'a replay met an error');
  const stopping = new AbortController();
  const moving = repeat(
    REPLAYS_EVERY_MS,
    async () => {
      if (!(await isReplayRunning(pool))) return REPLAYS_EVERY_MS;
      await moveReplays(
        replayRows(pool, unlock, newDeliveryId),
        (operation) => live.tell([operation.userId], () => [operationEntry(operation)]),
        stopping.signal,
      );
      return RUNNING_REPLAYS_EVERY_MS;
    },
    onError,
  );
  closing.add('replays', moving, async (moving) => {
    stopping.abort();
    await moving.stop();
  });
  notifier.listen(REPLAY_BEGUN, () => moving.wake());

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
