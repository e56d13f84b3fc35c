import { countRunning } from '../adapters/postgres/replaying/count-replay.js';
import { isReplayRunning } from '../adapters/postgres/replaying/replay-table.js';
import type { ReplayOperation } from '../application/replaying/ports.js';
import { moveReplays } from '../application/replaying/replay-worker.js';
import type { Dispatch } from '../application/sending/ports.js';
import type { DispatcherPlatform } from './platform.js';
import type { Tables } from './tables.js';
import type { Watching } from './watching.js';

/** Notification by which replicas learn that there is a replay to move on. */
const REPLAY_BEGUN = 'replay_begun';

/**
 * Moves replays on, each second while one runs: a replay may wait for room or for older transactions. They are counted
 * beside.
 */
export function startReplaying(
  { backgroundPool, notifier, job, closing }: DispatcherPlatform,
  { quietWork }: Tables,
  { moved }: Watching,
  { wakeAll }: Pick<Dispatch, 'wakeAll'>,
) {
  const filed = (operation: ReplayOperation) => {
    wakeAll();
    moved(operation);
  };
  const replaying = job('replays', 5_000, async () => {
    if (!(await isReplayRunning(backgroundPool))) return undefined;
    await moveReplays(quietWork, filed, stopping.signal);
    return 1_000;
  });
  const counting = job('counts of replays', 5_000, async () =>
    (await countRunning(backgroundPool)) ? 1 : undefined,
  );
  // Closed before the job, which would otherwise wait for the end of the replays in hand.
  const stopping = closing.add('replays in hand', new AbortController(), (stop) => stop.abort());
  notifier.listen(REPLAY_BEGUN, replaying.wake);
  notifier.listen(REPLAY_BEGUN, counting.wake);
  return { replayBegun: () => notifier.notify(REPLAY_BEGUN) };
}
