import { isReplayRunning } from '../adapters/postgres/replaying/replay-table.js';
import { moveReplays } from '../application/replaying/replay-worker.js';
import type { DispatcherPlatform } from './platform.js';
import type { Tables } from './tables.js';
import type { Watching } from './watching.js';

/** Notification by which replicas learn that there is a replay to move on. */
const REPLAY_BEGUN = 'replay_begun';

/** Moves replays on, each second while one runs: a replay may wait for room or for older transactions. */
export function startReplaying(
  { backgroundPool, notifier, job, closing }: DispatcherPlatform,
  { quietWork }: Tables,
  { moved }: Watching,
) {
  const replaying = job('replays', 5_000, async () => {
    if (!(await isReplayRunning(backgroundPool))) return undefined;
    await moveReplays(quietWork, moved, stopping.signal);
    return 1_000;
  });
  // Closed before the job, which would otherwise wait for the end of the replays in hand.
  const stopping = closing.add('replays in hand', new AbortController(), (stop) => stop.abort());
  notifier.listen(REPLAY_BEGUN, replaying.wake);
  return { replayBegun: () => notifier.notify(REPLAY_BEGUN) };
}
