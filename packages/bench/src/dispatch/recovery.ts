import { setTimeout as sleep } from 'node:timers/promises';
import type { BackendName } from '@junction/local-stack';
import { nowMs, until } from '../clock.js';
import type { Figures } from '../suite.js';
import { fill } from './events.js';
import { latencyAt } from './latency.js';
import { sharedBy } from './shares.js';
import type { World } from './world.js';

const RECOVERED_WITHIN_MS = 60_000;
const PUBLISH_EVERY_MS = 50;
const SHARING_USERS = 200;

export interface RecoveryRuns {
  readonly awayMs: number;
}

/** Seconds until deliveries go on: after a server is back, and after a replica is killed. */
export async function measureRecovery(world: World, runs: RecoveryRuns): Promise<Figures> {
  const users = await world.usersAt(world.receiver.plainUrl, 1);
  const dispatcher = await world.start();
  await latencyAt(world, users, { perS: 20, seconds: 2 });
  const kafka = await backAfter(world, 'kafka', users, runs);
  const postgres = await backAfter(world, 'postgres', users, runs);
  await dispatcher.end('SIGTERM');
  return {
    recovery_kafka_s: kafka,
    recovery_postgres_s: postgres,
    takeover_s: await takeover(world),
  };
}

/** Kills a server, and counts from when it answers again to the delivery of a new event. */
async function backAfter(
  { backends, receiver, producer, run: { signal } }: World,
  name: BackendName,
  users: readonly string[],
  { awayMs }: RecoveryRuns,
): Promise<number> {
  const pid = backends.pids()[name];
  if (pid === undefined) throw new Error(`${name} is no process of ours.`);
  process.kill(pid, 'SIGKILL');
  await sleep(awayMs, undefined, { signal });
  await backends.restart(name);
  const backMs = nowMs();
  await receiver.reset();
  const publish = () =>
    fill(producer, { users, deliveries: 1 }).then(
      () => true,
      () => undefined,
    );
  const patience = { deadlineMs: RECOVERED_WITHIN_MS, everyMs: PUBLISH_EVERY_MS, signal };
  await until('Publishing again', publish, patience);
  const { firstMs } = await receiver.received(1, RECOVERED_WITHIN_MS);
  return (firstMs - backMs) / 1_000;
}

/** Kills one of two replicas. Returns the seconds until events of users of all shards have arrived. */
async function takeover(world: World): Promise<number> {
  const { receiver, producer, run } = world;
  const users = await world.usersAt(receiver.plainUrl, SHARING_USERS);
  const first = await world.start();
  const second = await world.start();
  await sharedBy(world, 2);
  await latencyAt(world, users, { perS: 200, seconds: 2 });

  await receiver.reset('ids');
  const killedMs = nowMs();
  await second.end('SIGKILL');
  await fill(producer, { users, deliveries: users.length });
  const allCame = async () => {
    const seen = await receiver.seen();
    return seen.distinct >= users.length ? seen : undefined;
  };
  const patience = { deadlineMs: RECOVERED_WITHIN_MS, signal: run.signal };
  const { lastMs } = await until('Taking over', allCame, patience);
  await first.end('SIGTERM');
  return (lastMs - killedMs) / 1_000;
}
