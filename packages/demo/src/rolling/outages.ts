import { setTimeout as sleep } from 'node:timers/promises';
import type { Deliveries } from './delivered.js';
import { underLoad } from './under-load.js';

/**
 * Kills Postgres and then Kafka under load, each of which stays away that long; halfway both are. Requests may
 * fail meanwhile. Resolves with what came of the events.
 */
export async function outages(env: NodeJS.ProcessEnv, awayMs: number): Promise<Deliveries> {
  const { events } = await underLoad(env, ({ outage }) =>
    Promise.all([
      outage('postgres', awayMs),
      sleep(awayMs / 2).then(async () => outage('kafka', awayMs)),
    ]),
  );
  return events;
}
