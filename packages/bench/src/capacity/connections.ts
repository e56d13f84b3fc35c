import { setTimeout as sleep } from 'node:timers/promises';
import { newUsers } from '../dispatch/events.js';
import { databaseBytes } from '../dispatch/throughput.js';
import type { Replica } from '../integrations/replica.js';
import type { World } from '../integrations/world.js';
import type { Used } from '../service-process.js';
import type { Figures } from '../suite.js';

const AT_ONCE = 8;
/**
 * Seconds, of the 3,600 that a token of this provider lives, that a vended token must still have. A token that is a
 * second old is refreshed first.
 */
const NEARLY_ALL_S = 3_599;
const OLDER_MS = 1_500;

export interface ConnectionRuns {
  readonly users: number;
}

/** Measures the cost of connecting a mailbox, of refreshing its token, and of vending its token. */
export async function measureConnections(world: World, runs: ConnectionRuns): Promise<Figures> {
  const users = newUsers(runs.users);
  const replica = await world.start();
  const stored = await databaseBytes(world);
  const connected = await cpuUs(replica, users.length, () => replica.connect(users));
  const bytes = ((await databaseBytes(world)) - stored) / users.length;
  await sleep(OLDER_MS, undefined, { signal: world.run.signal });
  const refreshed = await cpuUs(replica, users.length, () =>
    forEach(users, (user) => replica.vend(user, NEARLY_ALL_S)),
  );
  const refreshBytes = ((await databaseBytes(world)) - stored) / users.length - bytes;
  const vended = await cpuUs(replica, users.length, () => forEach(users, replica.vend));
  await replica.end('SIGTERM');
  return {
    connect_us: connected,
    connection_stored_bytes: bytes,
    refresh_us: refreshed,
    refresh_stored_bytes: refreshBytes,
    vend_us: vended,
  };
}

async function cpuUs(
  replica: { used(): Promise<Used> },
  count: number,
  work: () => Promise<void>,
): Promise<number> {
  const before = await replica.used();
  await work();
  return (((await replica.used()).cpuS - before.cpuS) / count) * 1e6;
}

async function forEach(users: readonly string[], work: Replica['vend']): Promise<void> {
  const left = [...users];
  const worker = async () => {
    for (let user = left.pop(); user !== undefined; user = left.pop()) await work(user);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
