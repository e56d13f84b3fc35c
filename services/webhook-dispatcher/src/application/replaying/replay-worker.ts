import { pause } from '@junction/async';
import type { UnitOfWork } from '../unit-of-work.js';
import { advanceReplay } from './advance-replay.js';
import type { ByteBudget } from './byte-budget.js';
import type { ReplayOperation } from './ports.js';

/** Milliseconds between two rounds: deliveries of others have the processor meanwhile. */
const PACE_MS = 20;
/** The same while no replay has room, in which case each pause is a quarter longer than the one before. */
const PACE_MAX_MS = 640;
const PACE_GROWTH = 1.25;
/** Operations that move on in a round. */
const ROUND_MAX = 8;

/**
 * Moves replays on in rounds, each with one batch for some operations, until none has room for a while. Any number of
 * replicas may do so: an operation is locked for the length of a batch. All progress is in the rows, so after a crash
 * another replica goes on from there. `moved` is called when a batch is filed.
 */
export async function moveReplays(
  unitOfWork: UnitOfWork,
  budget: ByteBudget,
  moved: (operation: ReplayOperation) => void,
  stopping: AbortSignal,
): Promise<void> {
  for (let pauseMs = PACE_MS; pauseMs <= PACE_MAX_MS && !stopping.aborted; ) {
    let hasMoved = false;
    const met = new Set<string>();
    for (let n = 0; n < ROUND_MAX; n++) {
      const step = await unitOfWork.inTransaction((tx) => advanceReplay(tx, budget));
      if (step === undefined || met.has(step.operation.operationId)) break;
      met.add(step.operation.operationId);
      if (step.hasMoved) moved(step.operation);
      hasMoved ||= step.hasMoved;
    }
    if (met.size === 0) return;
    pauseMs = hasMoved ? PACE_MS : pauseMs * PACE_GROWTH;
    await pause(pauseMs, stopping);
  }
}
