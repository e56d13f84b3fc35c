import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@junction/testing';
import type { FetchRequest } from 'kafkajs/src/broker/index.js';
import protocol from 'kafkajs/src/protocol/requests/index.js';
import { usePort } from '../test/port-stage.js';
import type { PartitionControl, TopicPartition } from './kafka-port.js';
import { murmur2 } from './partitioner.js';

const PARTITIONS = 12;
const { consume, newTopic, send } = usePort();

const shipped = protocol.requests.Fetch.protocol;
const requests: FetchRequest[] = [];
/** Changes a request before it is sent. */
let spoil = (request: FetchRequest): FetchRequest => request;
protocol.requests.Fetch.protocol = (version) => {
  const encode = shipped(version);
  return (request) => {
    const sent = spoil(request);
    requests.push(sent);
    return encode(sent);
  };
};
afterEach(() => {
  spoil = (request) => request;
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

  it('opens another session when a request of the session was lost', async () => {
    const consumer = await reading();
    await consumer.reads(0);
    let isSpoilt = false;
    spoil = (request) => {
      if (isSpoilt || request.sessionEpoch === undefined) return request;
      isSpoilt = true;
      return { ...request, sessionEpoch: request.sessionEpoch + 7 };
    };
    for (const n of [1, 2, 3]) await consumer.reads(n);
    expect(requests.filter((request) => partitionsOf(request).length === PARTITIONS)).toHaveLength(
      2,
    );
  });

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
async function reading() {
  const topic = await newTopic(PARTITIONS);
  const seen: number[] = [];
  let assigned: PartitionControl | undefined;
  requests.length = 0;
  consume({
    topics: [topic],
    onAssigned: (partitions, control) => {
      for (const at of partitions) {
        control.seek(at, 0n);
        control.resume(at);
      }
      assigned = control;
    },
    onBatch: async (batch) => {
      for (const { offset, partition } of batch.records) {
        seen.push(partition);
        batch.resolve(offset);
      }
    },
  });
  await eventually(() => expect(requests.length).toBeGreaterThan(1));
  const at = (partition: number): TopicPartition => ({ topic, partition });
  return {
    at,
    control(): PartitionControl {
      if (assigned === undefined) throw new Error('No partition is assigned.');
      return assigned;
    },
    /** Sends a record to the partition, and resolves once that is read. */
    async reads(partition: number): Promise<void> {
      const before = seen.filter((each) => each === partition).length;
      await send([{ topic, key: keyOf(partition), headers: {}, value: Buffer.from('{}') }]);
      await eventually(() =>
        expect(seen.filter((each) => each === partition)).toHaveLength(before + 1),
      );
    },
  };
}
