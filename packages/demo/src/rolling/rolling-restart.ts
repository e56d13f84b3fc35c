import { eventually, type Receiver, startReceiver } from '@junction/testing';
import { type Load, startLoad } from './load.js';
import { type Restart, startReplicated } from './replicas.js';

const DELIVERED_WITHIN_MS = 60_000;

/** What came of a rolling restart of every service under load. */
export interface RollingRestart {
  readonly restarts: readonly Restart[];
  readonly requests: number;
  readonly rpcs: number;
  /** Requests and calls that did not get the answer they should; at most a hundred. */
  readonly failures: readonly string[];
  /** Requests for which nginx asked a second replica, because the first could not be reached. */
  readonly askedTwice: number;
  readonly events: {
    readonly published: number;
    readonly delivered: number;
    /** Sent more than once, with the same webhook-id. */
    readonly duplicated: number;
    /** From before the publishing to the last byte at the receiver. */
    readonly slowestMs: number;
    readonly medianMs: number;
  };
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

/** Waits for the events still on their way; what does not come in time is missing from the count. */
async function delivered(
  { tally: { published } }: Load,
  receiver: Receiver,
): Promise<RollingRestart['events']> {
  const arrivals = () => {
    const first = new Map<string, number>();
    const again = new Set<string>();
    for (const { headers, atMs } of receiver.requests) {
      const id = String(headers['webhook-id']);
      if (first.has(id)) again.add(id);
      else first.set(id, atMs);
    }
    return { first, again };
  };
  const missing = () => [...published.keys()].filter((id) => !arrivals().first.has(id));
  await eventually(
    () => {
      if (missing().length > 0) throw new Error('Some are on their way.');
    },
    { deadlineMs: DELIVERED_WITHIN_MS, pollMs: 200 },
  ).catch(() => undefined);

  const { first, again } = arrivals();
  const tookMs = [...published]
    .flatMap(([id, atMs]) => (first.has(id) ? [(first.get(id) ?? 0) - atMs] : []))
    .toSorted((a, b) => a - b);
  return {
    published: published.size,
    delivered: tookMs.length,
    duplicated: again.size,
    slowestMs: tookMs.at(-1) ?? 0,
    medianMs: tookMs[Math.floor(tookMs.length / 2)] ?? 0,
  };
}
