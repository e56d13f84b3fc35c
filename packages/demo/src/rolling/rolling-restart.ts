import type { Deliveries } from './delivered.js';
import type { Replicated, Restart } from './replicas.js';
import { underLoad } from './under-load.js';

/** What came of a rolling restart of every service under load. */
export interface RollingRestart {
  readonly restarts: readonly Restart[];
  readonly requests: number;
  readonly rpcs: number;
  /** Requests and calls that did not get the answer they should; at most a hundred. */
  readonly failures: readonly string[];
  /** Requests for which nginx asked a second replica, because the first could not be reached. */
  readonly askedTwice: number;
  readonly events: Deliveries;
  /** From the first restart to the last replica's being ready. */
  readonly seconds: number;
}

/** Restarts one replica of the product after another under load. */
export async function rollingRestart(env: NodeJS.ProcessEnv): Promise<RollingRestart> {
  const { result, tally, askedTwice, events } = await underLoad(env, restartEach);
  const { requests, rpcs, failures } = tally;
  return { ...result, requests, rpcs, failures, askedTwice, events };
}

async function restartEach({
  replicas,
  restart,
}: Replicated): Promise<Pick<RollingRestart, 'restarts' | 'seconds'>> {
  const beganMs = performance.now();
  const restarts: Restart[] = [];
  for (const replica of replicas) restarts.push(await restart(replica));
  const seconds = Math.round((performance.now() - beganMs) / 100) / 10;
  return { restarts, seconds };
}
