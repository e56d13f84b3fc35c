import type { Figures } from '../suite.js';
import { bare } from './bare.js';
import { emptied } from './emptied.js';
import { USERS } from './throughput.js';
import type { World } from './world.js';

const KB = 1_024;

export interface SizesRuns {
  /** Deliveries with 1 KB of data. Those with 64 KB are a quarter as many. */
  readonly deliveries: number;
}

/** Measures full topics of larger events beside a bare loop with bodies of the same size. */
export async function measureSizes(world: World, { deliveries }: SizesRuns): Promise<Figures> {
  const users = await world.usersAt(world.receiver.plainUrl, USERS);
  const beside = async (name: string, dataBytes: number, count: number) => {
    const loop = await bare(world, world.receiver.plainUrl, count, { dataBytes });
    const ours = await emptied(world, { users, deliveries: count, dataBytes });
    return {
      [`${name}_ratio`]: ours.perS / loop.perS,
      [`${name}_cpu_ratio`]: ours.cpuPer10k / loop.cpuPer10k,
    };
  };
  return {
    ...(await beside('size_1kb', KB, deliveries)),
    ...(await beside('size_64kb', 64 * KB, deliveries / 4)),
  };
}
