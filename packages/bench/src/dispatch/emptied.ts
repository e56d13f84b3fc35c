import { nowMs } from '../clock.js';
import type { ServiceProcess } from '../service-process.js';
import { fill, type Load } from './events.js';
import type { World } from './world.js';

/** The longest that a slow machine takes for one load. */
export const EMPTIED_WITHIN_MS = 300_000;

/** Portion of the deliveries after which usage is counted: by then the code is compiled. */
const WARM_AFTER = 0.2;

/** Rates at which a load was worked off. */
export interface Emptied {
  readonly perS: number;
  readonly cpuPer10k: number;
  readonly sqlPerDelivery: number;
}

/** The server that empties a topic, the dispatcher or another, and what is around it. */
interface Emptying extends Pick<World, 'receiver' | 'producer' | 'settled'> {
  start(): Promise<Pick<ServiceProcess, 'used' | 'end'>>;
}

/** Fills the topic while no dispatcher runs, then lets one empty it. */
export async function emptied(
  { receiver, producer, start, settled }: Emptying,
  load: Load,
): Promise<Emptied> {
  const { deliveries } = load;
  await fill(producer, load);
  await receiver.reset();
  const dispatcher = await start();
  const warm = await receiver.received(deliveries * WARM_AFTER, EMPTIED_WITHIN_MS);
  const before = await dispatcher.used();
  const last = await receiver.received(deliveries, EMPTIED_WITHIN_MS);
  const after = await dispatcher.used();
  await settled();
  await dispatcher.end('SIGTERM');
  const counted = deliveries - warm.count;
  return {
    perS: (deliveries / (last.lastMs - last.firstMs)) * 1_000,
    cpuPer10k: ((after.cpuS - before.cpuS) / counted) * 10_000,
    sqlPerDelivery: (after.statements - before.statements) / counted,
  };
}

/** Fills the topic beside running dispatchers, and gives their deliveries a second from when all of it is there. */
export async function workedOff(
  { receiver, producer, settled }: World,
  load: Load,
): Promise<number> {
  await receiver.reset();
  await fill(producer, load);
  const { count } = await receiver.seen();
  const fullMs = nowMs();
  const { lastMs } = await receiver.received(load.deliveries, EMPTIED_WITHIN_MS);
  await settled();
  return ((load.deliveries - count) / (lastMs - fullMs)) * 1_000;
}
