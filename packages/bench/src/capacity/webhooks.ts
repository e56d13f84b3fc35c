import { setTimeout as sleep } from 'node:timers/promises';
import { fill, newUsers } from '../dispatch/events.js';
import { databaseBytes, USERS } from '../dispatch/throughput.js';
import { addWebhooks } from '../dispatch/unresponsive-endpoints.js';
import type { World } from '../dispatch/world.js';
import type { Figures } from '../suite.js';

const RECEIVED_WITHIN_MS = 300_000;

export interface WebhookRuns {
  readonly webhooks: number;
  readonly idleSeconds: number;
  readonly events: number;
}

/** Measures the cost of an event that no webhook wants, and of webhooks for which no event comes. */
export async function measureWebhooks(world: World, runs: WebhookRuns): Promise<Figures> {
  const { pool, producer, receiver, run } = world;
  const users = await world.usersAt(receiver.plainUrl, USERS);
  const dispatcher = await world.start();
  // Their events lie behind whatever is there, in every partition.
  const allIsRead = async () => {
    await receiver.reset();
    await fill(producer, users, users.length);
    await receiver.received(users.length, RECEIVED_WITHIN_MS);
  };
  await allIsRead();
  const stored = await databaseBytes(world);
  const before = await dispatcher.used();
  await fill(producer, newUsers(USERS), runs.events);
  await allIsRead();
  const after = await dispatcher.used();
  const eventBytes = ((await databaseBytes(world)) - stored) / runs.events;

  const withoutBytes = await databaseBytes(world);
  await addWebhooks(world, receiver.plainUrl, runs.webhooks);
  await pool.query('vacuum webhooks');
  const withBytes = await databaseBytes(world);
  await dispatcher.end('SIGTERM');
  const started = await world.start();
  const idle = await started.used();
  await sleep(runs.idleSeconds * 1_000, undefined, { signal: run.signal });
  const idled = await started.used();
  await started.end('SIGTERM');
  return {
    event_us: ((after.cpuS - before.cpuS) / runs.events) * 1e6,
    event_stored_bytes: eventBytes,
    idle_webhook_stored_bytes: (withBytes - withoutBytes) / runs.webhooks,
    idle_replica_cpu_percent: ((idled.cpuS - idle.cpuS) / runs.idleSeconds) * 100,
    idle_replica_rss_mb: idled.rssMb,
  };
}
