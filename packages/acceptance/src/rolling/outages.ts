import { setTimeout as sleep } from 'node:timers/promises';
import type { Deliveries } from './delivered.js';
import type { Replicated } from './replicas.js';
import { underLoad } from './under-load.js';

const LOOK_EVERY_MS = 500;
/** Milliseconds of load before an outage of Kafka, so that events are under way when it comes. */
const UNDISTURBED_MS = 5_000;

/** The outcome of outages of Postgres and Kafka under load. */
export interface Outages {
  readonly events: Deliveries;
  /** Warnings and errors that each replica has logged. */
  readonly warnings: ReturnType<Replicated['warnings']>;
}

/**
 * Kills Postgres and then Kafka under load, each of which stays away that long; halfway both are. Requests may
 * fail meanwhile.
 */
export async function outages(env: NodeJS.ProcessEnv, awayMs: number): Promise<Outages> {
  const { events, result } = await underLoad(env, async ({ outage, warnings }) => {
    await Promise.all([
      outage('postgres', awayMs),
      sleep(awayMs / 2).then(async () => outage('kafka', awayMs)),
    ]);
    return warnings();
  });
  return { events, warnings: result };
}

/** The outcome of an outage of Kafka under load. */
export interface KafkaOutage {
  readonly events: Deliveries;
  /** Replicas that were not ready at some time while Kafka was away. */
  readonly unready: readonly string[];
  /** Requests to the API and calls of workers that failed; producers wait for Kafka and are left out. */
  readonly failures: readonly string[];
}

/** Kills Kafka under load, which stays away that long, and looks at the readiness of every replica meanwhile. */
export async function kafkaOutage(env: NodeJS.ProcessEnv, awayMs: number): Promise<KafkaOutage> {
  const { result, tally, events } = await underLoad(env, async (product) => {
    await sleep(UNDISTURBED_MS);
    const back = new AbortController();
    const away = product.outage('kafka', awayMs).finally(() => back.abort());
    const [unready] = await Promise.all([unreadyUntil(back.signal, product), away]);
    return unready;
  });
  const failures = tally.failures.filter((failure) => !failure.startsWith('publish: '));
  return { events, unready: [...result], failures };
}

async function unreadyUntil(
  back: AbortSignal,
  { unready }: Replicated,
): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  while (!back.aborted) {
    for (const replica of await unready()) seen.add(replica);
    await sleep(LOOK_EVERY_MS);
  }
  return seen;
}
