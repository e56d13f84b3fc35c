import path from 'node:path';
import { startTraceCollector } from '@junction/testing';
import { median } from '../statistics.js';
import type { Figures } from '../suite.js';
import { type Emptied, emptied } from './emptied.js';
import { USERS } from './throughput.js';
import type { World } from './world.js';

const TELEMETRY = path.resolve(import.meta.dirname, '../../../telemetry/dist/register/main.js');

export interface TracesRuns {
  readonly rounds: number;
  readonly warmUpEvents: number;
  readonly events: number;
}

/** A filled topic emptied without traces and with them, in turns: each round begins with the other. */
export async function measureTraces(world: World, runs: TracesRuns): Promise<Figures> {
  const collector = await startTraceCollector();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'dispatcher' };
  const traced = async () =>
    world.startOn(world.node, { env, nodeOptions: ['--import', TELEMETRY] });
  const users = await world.usersAt(world.receiver.plainUrl, USERS);
  const plain = async () => world.startOn(world.node);
  const off = (deliveries: number) => emptied({ ...world, start: plain }, { users, deliveries });
  const on = (deliveries: number) => emptied({ ...world, start: traced }, { users, deliveries });
  try {
    await off(runs.warmUpEvents);
    await on(runs.warmUpEvents);
    const pairs: (readonly [off: Emptied, on: Emptied])[] = [];
    for (let round = 0; round < runs.rounds; round++) {
      const isOffFirst = round % 2 === 0;
      const first = await (isOffFirst ? off : on)(runs.events);
      const second = await (isOffFirst ? on : off)(runs.events);
      pairs.push(isOffFirst ? [first, second] : [second, first]);
    }
    if (collector.spans().length === 0) throw new Error('No span was sent.');
    return {
      off_per_s: median(pairs.map(([off]) => off.perS)),
      on_per_s: median(pairs.map(([, on]) => on.perS)),
      on_ratio: median(pairs.map(([off, on]) => on.perS / off.perS)),
      on_cpu_ratio: median(pairs.map(([off, on]) => on.cpuPer10k / off.cpuPer10k)),
    };
  } finally {
    await collector.close();
  }
}
