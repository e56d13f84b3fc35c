import { pause } from '@junction/async';
import type { UnitOfWork } from '../unit-of-work.js';
import { advanceReplay } from './advance-replay.js';
import type { ReplayOperation } from './ports.js';

/** Milliseconds between two rounds: deliveries are sent again in small portions, so that live events pass them. */
const PACE_MS = 200;
/** Operations that move on in a round. */
const ROUND_MAX = 8;

/**
 * Moves replays on in rounds, each with one batch for some operations, until none can be moved. Any number of replicas
 * may do so: an operation is locked for the length of a batch. All progress is in the rows, so after a crash another
 * replica goes on from there.
 */
export async function moveReplays(
  unitOfWork: UnitOfWork,
  moved: (operation: ReplayOperation) => void,
  stopping: AbortSignal,
): Promise<void> {
  let goOn = true;
  while (goOn && !stopping.aborted) {
    goOn = false;
    const met = new Set<string>();
    for (let n = 0; n < ROUND_MAX; n++) {
      const step = await unitOfWork.inTransaction(advanceReplay);
      if (step === undefined || met.has(step.operation.operationId)) break;
      met.add(step.operation.operationId);
      if (step.hasMoved) moved(step.operation);
      goOn ||= step.hasMoved;
    }
    if (goOn) await pause(PACE_MS, stopping);
  }
}
