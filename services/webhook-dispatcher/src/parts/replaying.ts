import { sharedUse } from '@junction/service/callers';
import { countRunning } from '../adapters/postgres/replaying/count-replay.js';
import { isReplayRunning } from '../adapters/postgres/replaying/replay-table.js';
import type { Tables } from '../application/ports.js';
import { BUDGET_WINDOWS, byteBudget } from '../application/replaying/byte-budget.js';
import type { ReplayOperation } from '../application/replaying/ports.js';
import { moveReplays } from '../application/replaying/replay-worker.js';
import type { Dispatch } from '../application/sending/ports.js';
import type { DispatcherPlatform } from './platform.js';
import type { Watching } from './watching.js';

const SECOND_MS = 1_000;
/** KiB of a user that the replicas tell each other of: less in a second is counted by each alone. */
const WORTH_TELLING_KIB = 64;

/** Notification by which replicas learn that there is a replay to move on. */
const REPLAY_BEGUN = 'replay_begun';

/**
 * Moves replays on, each second while one runs: a replay may wait for room or for older transactions. They are counted
 * beside.
 */
export function startReplaying(
  { pool, backgroundPool, notifier, job, closing }: DispatcherPlatform,
  { quietWork }: Tables,
  { moved }: Watching,
  { wakeAll }: Pick<Dispatch, 'wakeAll'>,
) {
  const uses = BUDGET_WINDOWS.map(({ windowS }) =>
    sharedUse({ pool, windowMs: windowS * SECOND_MS, worthTelling: WORTH_TELLING_KIB }),
  );
  job('bytes of users', SECOND_MS, async () => {
    for (const use of uses) await use.merge();
  });
  const budget = byteBudget(uses);
  const filed = (operation: ReplayOperation) => {
    wakeAll();
    moved(operation);
  };
  const replaying = job('replays', 5_000, async () => {
    if (!(await isReplayRunning(backgroundPool))) return undefined;
    await moveReplays(quietWork, budget, filed, stopping.signal);
    return 1_000;
  });
  const counting = job('counts of replays', 5_000, async () =>
    (await countRunning(backgroundPool)) ? 1 : undefined,
  );
  // Closed before the job, which would otherwise wait for the end of the replays in hand.
  const stopping = closing.add('replays in hand', new AbortController(), (stop) => stop.abort());
  notifier.listen(REPLAY_BEGUN, replaying.wake);
  notifier.listen(REPLAY_BEGUN, counting.wake);
  return { budget, replayBegun: () => notifier.notify(REPLAY_BEGUN) };
}
