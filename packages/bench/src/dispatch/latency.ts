import { quantile } from '../statistics.js';
import { type Rate, trickle } from './events.js';
import type { World } from './world.js';

const RECEIVED_WITHIN_MS = 60_000;

/** From before an event was published to the last byte of the request that delivers it. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

/** Publishes at a steady rate, and waits until all of it is delivered. */
export async function latencyAt(
  { receiver, producer, run }: World,
  users: readonly string[],
  rate: Rate,
): Promise<Latency> {
  await receiver.reset(true);
  const sent = await trickle(producer, users, rate, run.signal);
  const { latenciesMs } = await receiver.received(sent, RECEIVED_WITHIN_MS);
  return { p50: quantile(latenciesMs, 0.5), p99: quantile(latenciesMs, 0.99) };
}
