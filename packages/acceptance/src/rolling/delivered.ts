import { eventually, type Receiver } from '@junction/testing';
import type { Load } from './load.js';

const DELIVERED_WITHIN_MS = 180_000;

/** The outcome of the events that were published under a load. */
export interface Deliveries {
  readonly published: number;
  readonly delivered: number;
  /** Number of events that were sent more than once, with the same webhook-id. */
  readonly duplicated: number;
  /** Milliseconds from before the publishing to the last byte at the receiver. */
  readonly slowestMs: number;
  readonly medianMs: number;
}

/** Waits for the events that are still on their way; an event that does not come in time is missing from the count. */
export async function delivered(
  { tally: { published } }: Load,
  receiver: Receiver,
): Promise<Deliveries> {
  const arrivals = () => {
    const first = new Map<string, number>();
    const again = new Set<string>();
    for (const { headers, atMs } of receiver.requests) {
      const id = String(headers['webhook-id']);
      if (first.has(id)) again.add(id);
      else first.set(id, atMs);
    }
    return { first, again };
  };
  await eventually(
    () => {
      const came = arrivals().first;
      if (![...published.keys()].every((id) => came.has(id)))
        throw new Error('Some are on their way.');
    },
    { deadlineMs: DELIVERED_WITHIN_MS, pollMs: 200 },
  ).catch(() => undefined);

  const { first, again } = arrivals();
  const tookMs = [...published]
    .flatMap(([id, atMs]) => (first.has(id) ? [(first.get(id) ?? 0) - atMs] : []))
    .toSorted((a, b) => a - b);
  return {
    published: published.size,
    delivered: tookMs.length,
    duplicated: again.size,
    slowestMs: tookMs.at(-1) ?? 0,
    medianMs: tookMs[Math.floor(tookMs.length / 2)] ?? 0,
  };
}
