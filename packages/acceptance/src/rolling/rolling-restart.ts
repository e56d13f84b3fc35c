import { ROOT } from '@junction/demo';
import type { Deliveries } from './delivered.js';
import { earlierVersion } from './earlier-version.js';
import type { Replicated, Restart } from './replicas.js';
import { type UnderLoad, underLoad } from './under-load.js';

/** The outcome of a rolling restart of every service under load. */
export interface RollingRestart {
  readonly restarts: readonly Restart[];
  readonly requests: number;
  readonly rpcs: number;
  /** Requests and calls that did not get the answer they should; at most a hundred. */
  readonly failures: readonly string[];
  /** Requests for which nginx asked a second replica, because the first could not be reached. */
  readonly askedTwice: number;
  readonly events: Deliveries;
  /** Seconds from the first restart until the last replica is ready. */
  readonly seconds: number;
}

/** Restarts one replica of the product after another under load. */
export async function rollingRestart(env: NodeJS.ProcessEnv): Promise<RollingRestart> {
  return summary(await underLoad(env, restartEach));
}

/**
 * Starts the product as it was before the newest change of a schema. Under load, upgrades databases and topics to
 * this version, and then one replica after another, so that both versions work on the same data. Before the first
 * replica, `expand` is called with the databases, and changes them as a later release may.
 */
export async function rollingUpgrade(
  env: NodeJS.ProcessEnv,
  expand: (databaseUrls: readonly string[]) => Promise<void>,
): Promise<RollingRestart> {
  const earlier = earlierVersion(ROOT);
  try {
    const upgradeEach = async (product: Replicated) => {
      await product.upgrade();
      await expand(product.databaseUrls);
      return restartEach(product);
    };
    return summary(await underLoad(env, upgradeEach, earlier.root));
  } finally {
    earlier.remove();
  }
}

const summary = ({
  result,
  tally: { requests, rpcs, failures },
  askedTwice,
  events,
}: UnderLoad<Restarted>): RollingRestart => ({
  ...result,
  requests,
  rpcs,
  failures,
  askedTwice,
  events,
});

type Restarted = Pick<RollingRestart, 'restarts' | 'seconds'>;

async function restartEach({ replicas, restart }: Replicated): Promise<Restarted> {
  const beganMs = performance.now();
  const restarts: Restart[] = [];
  for (const replica of replicas) restarts.push(await restart(replica));
  const seconds = Math.round((performance.now() - beganMs) / 100) / 10;
  return { restarts, seconds };
}
