import { newId } from '@junction/contracts';
import { isReplayRunning } from '../adapters/postgres/replaying/replay-table.js';
import { replays } from '../adapters/postgres/replaying/replays.js';
import { moveReplays } from '../application/replaying/replay-worker.js';
import type { DispatcherPlatform, Tables } from './tables.js';
import type { Watching } from './watching.js';

const SECOND_MS = 1_000;
/** Notification by which replicas learn that there is a replay to move on. */
const REPLAY_BEGUN = 'replay_begun';

/** Moves replays on, each second while one runs: a replay may wait for room or for older transactions. */
export function startReplaying(
  { pool, backgroundPool, notifier, job, closing }: DispatcherPlatform,
  { quietWork }: Tables,
  { moved }: Watching,
) {
  const replaying = job('replays', 5 * SECOND_MS, async () => {
    if (!(await isReplayRunning(backgroundPool))) return 5 * SECOND_MS;
    await moveReplays(quietWork, moved, stopping.signal);
    return SECOND_MS;
  });
  // Closed before the job, which would otherwise wait for the end of the replays in hand.
  const stopping = closing.add('replays in hand', new AbortController(), (stop) => stop.abort());
  notifier.listen(REPLAY_BEGUN, () => replaying.wake());
  return {
    replays: replays(pool),
    replayBegun: () => notifier.notify(REPLAY_BEGUN),
    newOperationId: () => newId('op'),
  };
}
