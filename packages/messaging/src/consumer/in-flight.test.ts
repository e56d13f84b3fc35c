import { expect, it } from '@jest/globals';
import { deferred } from '@junction/async';
import { InFlight } from './in-flight.js';
import { assignedPartition, type FlightRecord } from './partition.js';
import type { Processed } from './process-batch.js';

const written: PromiseSettledResult<Processed> = {
  status: 'fulfilled',
  value: { count: 1, deadLetters: [] },
};
const refused: PromiseSettledResult<Processed> = { status: 'rejected', reason: new Error('away') };

it.each([
  ['a write that works', written, 0],
  ['a write that fails', refused, 1],
])('%s is a change, once it has ended', async (_, result, left) => {
  const { flights, partition, write, changes } = flying();
  await write.begun.promise;
  expect(changes()).toBe(0);
  write.ended.resolve(result);
  await flights.changed();
  expect(changes()).toBe(1);
  expect(partition.inFlight).toHaveLength(left);
  await flights.close(0);
});

it('closing counts as a change when it drops records in flight', async () => {
  const { flights, partition, changes } = flying({ isReady: false });
  const drained = flights.drained(partition);
  await flights.close(0);
  await drained;
  expect(changes()).toBe(1);
});

it('closing drops the last records whose work has not begun, and awaits those before them', async () => {
  const { flights, partition } = flying({ isReady: false });
  const never = deferred<void>().promise;
  flights.add(partition, [
    flight(never, () => false),
    flight(never, () => true),
    flight(never, () => false),
    flight(never, () => false),
  ]);
  const [, , last] = partition.inFlight;
  const closed = flights.close(1);
  expect(partition.inFlight).toHaveLength(3);
  expect(partition.inFlight.at(-1)).toBe(last);
  await closed;
  expect(partition.inFlight).toEqual([]);
});

it('writes are behind while a whole transaction waits behind another', async () => {
  const { flights, partition, write } = flying();
  await write.begun.promise;
  expect(flights.isBehind).toBe(false);
  flights.add(partition, [flight(Promise.resolve())]);
  await Promise.resolve();
  expect(flights.isBehind).toBe(true);
  write.ended.resolve(written);
  await flights.changed();
  expect(flights.isBehind).toBe(false);
});

it('writes are not behind because of records whose work goes on', () => {
  const { flights, partition } = flying({ isReady: false });
  flights.add(partition, [flight(Promise.resolve())]);
  expect(flights.isBehind).toBe(false);
});

/** Sets up a partition with one record in flight. */
function flying({ isReady = true } = {}) {
  const partition = assignedPartition({ topic: 'some', partition: 0 }, 1);
  const write = { begun: deferred<void>(), ended: deferred<PromiseSettledResult<Processed>>() };
  const flights = new InFlight({
    partitions: [partition],
    batchMax: 1,
    async write() {
      write.begun.resolve();
      return [await write.ended.promise];
    },
    isOvertaken: () => false,
    seekAgain: () => undefined,
    onWritten: () => undefined,
    onFailed: () => undefined,
    letGo: () => undefined,
  });
  let changes = 0;
  void flights.changed().then(() => changes++);
  flights.add(partition, [flight(isReady ? Promise.resolve() : deferred<void>().promise)]);
  return { flights, partition, write, changes: () => changes };
}

const flight = (ready: Promise<void>, hasBegun?: () => boolean): FlightRecord => ({
  record: {
    topic: 'some',
    partition: 0,
    offset: 0n,
    key: null,
    value: null,
    headers: {},
    timestamp: new Date(0),
    ready,
    hasBegun,
  },
  from: 0n,
  to: 1n,
  isReady: false,
});
