import { fill } from './events.js';
import type { World } from './world.js';

/** The longest that a slow machine takes for one load. */
const EMPTIED_WITHIN_MS = 300_000;

/** Portion of the deliveries after which usage is counted: by then the code is compiled. */
const WARM_AFTER = 0.2;

/** The events that are in the topic when the dispatcher starts. */
export interface Load {
  readonly users: readonly string[];
  /** Deliveries to be made; each has one event, of one of the users. */
  readonly deliveries: number;
  /** Number of events after each of which one invalid record is sent; absent: none is sent. */
  readonly invalidEvery?: number;
}

/** Rates at which a load was worked off. */
export interface Emptied {
  readonly perS: number;
  readonly cpuPer10k: number;
  readonly sqlPerDelivery: number;
}

/** Fills the topic while no dispatcher runs, then lets one empty it. */
export async function emptied(
  { receiver, producer, start, settled }: World,
  { users, deliveries, invalidEvery }: Load,
): Promise<Emptied> {
  await fill(producer, users, deliveries, invalidEvery);
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
