import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import type { FetchRequest } from 'kafkajs/src/broker/index.js';
import protocol from 'kafkajs/src/protocol/requests/index.js';
import { usePort } from '../test/port-stage.js';
import type { PartitionControl, TopicPartition } from './kafka-port.js';
import { murmur2 } from './partitioner.js';

const PARTITIONS = 12;
const { consume, foreignProducer, kafka, newTopic, send } = usePort();

const shipped = protocol.requests.Fetch.protocol;
const requests: FetchRequest[] = [];
const unspoilt = (request: FetchRequest): FetchRequest => request;
/** Changes a request before it is sent. */
let spoil = unspoilt;
protocol.requests.Fetch.protocol = (version) => {
  const encode = shipped(version);
  return (request) => {
    const sent = spoil(request);
    requests.push(sent);
    return encode(sent);
  };
};
afterEach(() => {
  spoil = unspoilt;
});
afterAll(() => {
  protocol.requests.Fetch.protocol = shipped;
});

describe('a consumer of many partitions', () => {
  it('names all of them to a broker once, and then those alone whose offsets have moved', async () => {
    const consumer = await reading();
    for (const n of [0, 1, 2]) await consumer.reads(n);
    const [first, ...later] = requests.map(partitionsOf);
    expect(first).toHaveLength(PARTITIONS);
    expect(later.flat()).toEqual([0, 1, 2]);
  });

  it.each([
    ['a request of its session was lost', { epochs: 7, ids: 0 }],
    ['the broker has no such session', { epochs: 0, ids: 7 }],
  ])('reads on and opens another session when %s', async (_, { epochs, ids }) => {
    const consumer = await reading({ isByName: true });
    await consumer.reads(0);
    spoil = ({ sessionId = 0, sessionEpoch = 0, ...request }) => {
      spoil = unspoilt;
      return { ...request, sessionId: sessionId + ids, sessionEpoch: sessionEpoch + epochs };
    };
    for (const n of [1, 2, 3]) await consumer.reads(n);
    const full = requests.filter((request) => partitionsOf(request).length === PARTITIONS);
    expect(full.map(({ sessionEpoch }) => sessionEpoch)).toEqual([0, -1, 0]);
    expect(requests.at(-1)?.sessionEpoch).toBeGreaterThan(0);
  });

  it('reads without a session while the broker has no room, and opens one after that', async () => {
    spoil = (request) => ({ ...request, sessionId: 0, sessionEpoch: -1 });
    const consumer = await reading({ isByName: true });
    await consumer.reads(0);
    expect(requests.every((request) => partitionsOf(request).length === PARTITIONS)).toBe(true);
    spoil = unspoilt;
    for (const n of [1, 2]) await consumer.reads(n);
    expect(requests.at(-1)?.sessionEpoch).toBeGreaterThan(0);
  });

  it('ends its session when one partition fails, and opens another once none does', async () => {
    const consumer = await reading();
    await consumer.reads(5);
    requests.length = 0;
    consumer.seekBehindTheEnd(5);
    // There is nothing to go on from behind the end of a log: all partitions are assigned anew.
    await eventually(() => expect(consumer.assignments()).toBe(2));
    for (const n of [5, 6]) await consumer.reads(n);
    const epochs = requests.map(({ sessionEpoch }) => sessionEpoch);
    expect(epochs).toContain(-1);
    expect(epochs.filter((epoch) => epoch === 0)).toHaveLength(1);
    expect(epochs.at(-1)).toBeGreaterThan(0);
  });

  it('gets records again that it did not take, also when it does not name their partition', async () => {
    const consumer = await reading();
    await consumer.reads(0);
    consumer.leaveNext();
    await consumer.reads(3);
    expect(consumer.left()).toBe(1);
    expect(requests.filter((request) => partitionsOf(request).includes(3))).toHaveLength(2);
  });

  it('gets the records of a transaction once it is committed, and none that is aborted', async () => {
    const consumer = await reading();
    await consumer.reads(0);
    const producer = await foreignProducer({
      transactionalId: randomUUID(),
      maxInFlightRequests: 1,
    });
    for (const end of ['abort', 'commit'] as const) {
      const transaction = await producer.transaction();
      const messages = [{ key: keyOf(4), value: end }];
      await transaction.send({ topic: consumer.at(4).topic, messages });
      await consumer.reads(1);
      expect(consumer.seen(4)).toBe(0);
      await transaction[end]();
    }
    await eventually(() => expect(consumer.seen(4)).toBe(1));
  });

  it('reads on after a rebalance, with the partitions that it then has', async () => {
    const group = randomUUID();
    const consumer = await reading({ group });
    await consumer.reads(0);
    const other = consume({
      topics: [consumer.at(0).topic],
      group,
      onBatch: async () => undefined,
    });
    await eventually(() => expect(consumer.assigned()).toHaveLength(PARTITIONS / 2));
    await consumer.reads(consumer.assigned()[0] ?? 0);
    await other.stop();
    await eventually(() => expect(consumer.assigned()).toHaveLength(PARTITIONS));
    for (let n = 0; n < PARTITIONS; n++) await consumer.reads(n);
  }, 60_000);

  it('has the broker forget a partition while that is paused', async () => {
    const consumer = await reading();
    await consumer.reads(0);
    consumer.control().pause(consumer.at(5));
    await consumer.reads(1);
    expect(requests.flatMap(({ forgottenTopics = [] }) => forgottenTopics)).toMatchObject([
      { partitions: [5] },
    ]);
    consumer.control().resume(consumer.at(5));
    await consumer.reads(5);
  });
});

const partitionsOf = ({ topics }: FetchRequest): readonly number[] =>
  topics.flatMap(({ partitions }) => partitions.map(({ partition }) => partition));

/** Returns a key whose records land in the partition. */
const keyOf = (partition: number): string =>
  KEYS.find((key) => (murmur2(Buffer.from(key)) & 0x7fffffff) % PARTITIONS === partition) ?? '';

const KEYS = Array.from({ length: 500 }, (_, n) => `key-${n}`);

/** Starts a consumer of a new topic, and resolves once the consumer has its partitions. */
async function reading({ group = randomUUID(), isByName = false } = {}) {
  const topic = await newTopic(PARTITIONS);
  const { topicId } = (await kafka.admin().logBounds(topic)).get(0) ?? {};
  const positions = new Map<number, bigint>();
  const seen: number[] = [];
  let [toLeave, left, assignments] = [0, 0, 0];
  let assigned: readonly TopicPartition[] = [];
  let current: PartitionControl | undefined;
  requests.length = 0;
  consume({
    topics: [topic],
    group,
    onAssigned: (partitions, control) => {
      for (const at of partitions) {
        control.seek(at, positions.get(at.partition) ?? 0n, isByName ? undefined : topicId);
        control.resume(at);
      }
      assigned = partitions;
      assignments++;
      current = control;
    },
    onBatch: async (batch) => {
      if (toLeave > 0) {
        toLeave--;
        left++;
        return;
      }
      for (const { offset, partition } of batch.records) {
        seen.push(partition);
        positions.set(partition, offset + 1n);
        batch.resolve(offset);
      }
    },
  });
  await eventually(() => expect(requests.length).toBeGreaterThan(1));
  const seenOf = (partition: number): number => seen.filter((each) => each === partition).length;
  return {
    at: (partition: number): TopicPartition => ({ topic, partition }),
    assigned: () => assigned.map(({ partition }) => partition),
    assignments: () => assignments,
    control(): PartitionControl {
      if (current === undefined) throw new Error('No partition is assigned.');
      return current;
    },
    seekBehindTheEnd: (partition: number) =>
      current?.seek({ topic, partition }, 99n, isByName ? undefined : topicId),
    /** Has the consumer leave the next batch as it came. */
    leaveNext: () => void toLeave++,
    left: () => left,
    seen: seenOf,
    /** Sends a record to the partition, and resolves once that is read. */
    async reads(partition: number): Promise<void> {
      const before = seenOf(partition);
      await send([{ topic, key: keyOf(partition), headers: {}, value: Buffer.from('{}') }]);
      await eventually(() => expect(seenOf(partition)).toBe(before + 1));
    },
  };
}
