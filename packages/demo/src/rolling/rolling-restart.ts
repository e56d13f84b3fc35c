import { startReceiver } from '@junction/testing';
import { type Deliveries, delivered } from './delivered.js';
import { startLoad } from './load.js';
import { type Restart, startReplicated } from './replicas.js';

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

/** Starts two of each service behind nginx, loads them, and restarts one replica after another. */
export async function rollingRestart(env: NodeJS.ProcessEnv): Promise<RollingRestart> {
  const receiver = await startReceiver();
  try {
    const product = await startReplicated(env);
    try {
      const load = await startLoad(product.endpoints, receiver);
      const beganMs = performance.now();
      const restarts: Restart[] = [];
      try {
        for (const replica of product.replicas) restarts.push(await product.restart(replica));
      } finally {
        await load.stop();
      }
      const seconds = Math.round((performance.now() - beganMs) / 100) / 10;
      const events = await delivered(load, receiver);
      const { requests, rpcs, failures } = load.tally;
      const askedTwice = product.askedTwice();
      return { restarts, requests, rpcs, failures, askedTwice, events, seconds };
    } finally {
      await product.stop();
    }
  } finally {
    await receiver.close();
  }
}
