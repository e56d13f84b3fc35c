import { startReceiver } from '@junction/testing';
import { type Deliveries, delivered } from './delivered.js';
import { type Load, startLoad, type Tally } from './load.js';
import { type Replicated, startReplicated } from './replicas.js';

/** The outcome of an action on the product under load. */
export interface UnderLoad<T> {
  readonly result: T;
  readonly tally: Tally;
  /** Requests for which nginx asked a second replica, because the first could not be reached. */
  readonly askedTwice: number;
  readonly events: Deliveries;
}

/**
 * Starts two replicas of each service behind nginx, loads them, runs the action, and waits for the events that were
 * sent.
 */
export async function underLoad<T>(
  env: NodeJS.ProcessEnv,
  act: (product: Replicated) => Promise<T>,
  root?: string,
): Promise<UnderLoad<T>> {
  const receiver = await startReceiver();
  try {
    const product = await startReplicated(env, root);
    try {
      const load = await startLoad(product.endpoints, receiver);
      const result = await whileLoaded(load, async () => act(product));
      const events = await delivered(load, receiver);
      return { result, tally: load.tally, askedTwice: product.askedTwice(), events };
    } finally {
      await product.stop();
    }
  } finally {
    await receiver.close();
  }
}

async function whileLoaded<T>(load: Load, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } finally {
    await load.stop();
  }
}
