import { fill } from './events.js';
import type { World } from './world.js';

/** The longest that a slow machine takes for one load. */
const EMPTIED_WITHIN_MS = 300_000;

/** Of the deliveries: what it uses is counted once so many are made, and the code is compiled. */
const WARM_AFTER = 0.2;

/** What is in the topic when the dispatcher starts. */
export interface Load {
  readonly users: readonly string[];
  /** One event of one of the users leads to each. */
  readonly deliveries: number;
  /** One invalid record follows so many events; absent: none does. */
  readonly invalidEvery?: number;
}

/** How a load was worked off. */
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
