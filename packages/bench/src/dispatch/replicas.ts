import { mean } from '../statistics.js';
import type { Figures } from '../suite.js';
import { workedOff } from './emptied.js';
import { sharedBy } from './shares.js';
import type { World } from './world.js';

export interface ReplicasRuns {
  readonly users: number;
  readonly warmUpEvents: number;
  readonly events: number;
}

/** Measures how much more two and four replicas deliver of the same full topic than one. */
export async function measureReplicas(world: World, runs: ReplicasRuns): Promise<Figures> {
  const users = await world.usersAt(world.receiver.plainUrl, runs.users);
  const perSOf = async (count: number) => {
    const replicas = await Promise.all(Array.from({ length: count }, () => world.start()));
    await sharedBy(world, count);
    await workedOff(world, { users, deliveries: runs.warmUpEvents * count });
    const perS = await workedOff(world, { users, deliveries: runs.events });
    await Promise.all(replicas.map((replica) => replica.end('SIGTERM')));
    return perS;
  };
  const before = await perSOf(1);
  const [two, four] = [await perSOf(2), await perSOf(4)];
  const one = mean([before, await perSOf(1)]);
  return { replicas_2_ratio: two / one, replicas_4_ratio: four / one };
}
