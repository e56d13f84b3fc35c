import { pause } from '@junction/async';
import type { ReplayRows } from './ports.js';
import type { ReplayOperation } from './replay.js';

/** Between two rounds: what is to be sent again comes in small portions, so that live events pass it. */
const PACE_MS = 200;
/** Operations that move on in a round. */
const ROUND_MAX = 8;

/**
 * One turn of moving replays on: rounds of one batch for each of some operations, until none can be
 * moved. What happens in between, a crash too, is for the rows: another replica goes on from there.
 */
export async function moveReplays(
  { advance }: ReplayRows,
  moved: (operation: ReplayOperation) => void,
  stopping: AbortSignal,
): Promise<void> {
  let goOn = true;
  while (goOn && !stopping.aborted) {
    goOn = false;
    const met = new Set<string>();
    for (let n = 0; n < ROUND_MAX; n++) {
      const step = await advance();
      if (step === undefined || met.has(step.operation.operationId)) break;
      met.add(step.operation.operationId);
      if (step.moved) moved(step.operation);
      goOn ||= step.moved;
    }
    if (goOn) await pause(PACE_MS, stopping);
  }
}
