import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { deferred } from '@junction/async';
import { eventually, useBroker } from '@junction/testing';
import { ConfigResourceTypes, Kafka, logLevel, Partitioners } from 'kafkajs';
import { kafkaClient } from './kafka-client.js';
import type {
  ConsumeOptions,
  FetchedBatch,
  InboundRecord,
  KafkaPort,
  OutRecord,
} from './kafka-port.js';
import { silentLog } from './log.js';

/** Deadline before which Kafka itself does not yet remove a member that is gone. */
const BEFORE_ITS_SESSION_ENDS = { deadlineMs: 6_000 };

// The guarantees that the rest of this package relies on, whichever client is behind the port.

const { brokers, prefix } = useBroker();
const open: { stop(): Promise<unknown> }[] = [];
let kafka: KafkaPort;

beforeAll(() => {
  kafka = kafkaClient({ brokers, clientId: 'port-test', log: silentLog });
});

afterEach(async () => {
  await Promise.all(open.splice(0).map(async (each) => each.stop()));
});

describe('topics', () => {
  it('are made when they are missing, and left alone when they are there', async () => {
    const spec = { name: 'made', partitions: 3, retentionMs: -1 };

    expect(await kafka.admin().ensureTopics([spec], prefix)).toEqual([`${prefix}made`]);
    expect(await kafka.admin().ensureTopics([{ ...spec, partitions: 5 }], prefix)).toEqual([]);
    expect((await kafka.admin().logBounds(`${prefix}made`)).size).toBe(3);
  });

  it('forget within hours of their retention, also where little is written', async () => {
    const specs = [
      { name: 'clear', partitions: 1, retentionMs: 259_200_000 },
      { name: 'kept', partitions: 1, retentionMs: -1 },
    ];
    await kafka.admin().ensureTopics(specs, prefix);
    const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    open.push({ stop: async () => admin.disconnect() });
    const settings = async (name: string) => {
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: [
          {
            type: ConfigResourceTypes.TOPIC,
            name: `${prefix}${name}`,
            configNames: ['retention.ms', 'segment.ms'],
          },
        ],
      });
      const entries = resources[0]?.configEntries ?? [];
      return Object.fromEntries(
        entries.map(({ configName, configValue }) => [configName, configValue]),
      );
    };

    expect(await settings('clear')).toEqual({
      'retention.ms': '259200000',
      'segment.ms': '21600000',
    });
    expect(await settings('kept')).toMatchObject({ 'retention.ms': '-1' });
  });

  it('are made once by several processes that start together', async () => {
    const specs = ['a', 'b', 'c'].map((name) => ({
      name: `together-${name}`,
      partitions: 1,
      retentionMs: 60_000,
    }));
    await Promise.all([1, 2, 3].map(() => kafka.admin().ensureTopics(specs, prefix)));
    expect(await kafka.admin().ensureTopics(specs, prefix)).toEqual([]);
  });
});

describe('a record', () => {
  it('arrives as it was sent, in the partition that any Java client would choose', async () => {
    const topic = await newTopic(12);
    const value = Buffer.from([0, 255, 1, 2]);
    await send([{ topic, key: 'foobar', headers: { ce_id: 'ä1', other: '' }, value }]);

    const [record] = await consumed(topic, 1);
    expect(record).toMatchObject({ topic, key: 'foobar', headers: { ce_id: 'ä1', other: '' } });
    expect(record?.value).toEqual(value);
    expect(record?.timestamp.getTime()).toBeGreaterThan(Date.now() - 60_000);
    // murmur2("foobar") is -790332482 in Kafka's own tests.
    expect(record?.partition).toBe((-790332482 & 0x7fffffff) % 12);
  });

  it('keeps the first of two headers of a name, and survives a name like "constructor"', async () => {
    const topic = await newTopic();
    const producer = await foreignProducer();
    const headers = { twice: ['1', '2'], constructor: 'x', __proto__x: 'y' };
    await producer.send({ topic, messages: [{ key: null, value: null, headers }] });

    const [record] = await consumed(topic, 1);
    expect(record).toMatchObject({ key: null, value: null });
    expect({ ...record?.headers }).toMatchObject({ twice: '1', constructor: 'x' });
  });
});

describe('a producer', () => {
  it('finishes what is under way for others when one of its batches fails', async () => {
    const topic = await newTopic();
    const producer = await kafka.producer();
    open.push({ stop: async () => producer.close() });
    let hasFailed = false;
    const failing = producer.sendBatch([text(`${prefix}nowhere`, 'x')]).catch(() => {
      hasFailed = true;
    });

    let sent = 0;
    const sendOne = async () => {
      await producer.sendBatch([text(topic, 'a')]);
      sent += 1;
    };
    const sending = Array.from({ length: 8 }, async () => {
      while (!hasFailed) await sendOne();
      await sendOne();
    });
    await Promise.all([...sending, failing]);
    // A connection that was cut under a batch would have had it sent again.
    expect((await kafka.admin().logBounds(topic)).get(0)?.high).toBe(BigInt(sent));
  });
});

describe('a consumer', () => {
  it('hands out its partitions paused, and fetches from where it is told to', async () => {
    const topic = await newTopic();
    await send([text(topic, 'a'), text(topic, 'b'), text(topic, 'c')]);
    const batches: FetchedBatch[] = [];
    consume({
      topics: [topic],
      onAssigned: (partitions, control) => {
        for (const at of partitions) {
          control.seek(at, 1n);
          setTimeout(() => control.resume(at), 50);
        }
      },
      onBatch: async (batch) => void batches.push(batch),
    });

    await eventually(() => expect(batches).not.toHaveLength(0));
    expect(batches[0]).toMatchObject({ fetchedOffset: 1n, lastOffset: 2n, highWatermark: 3n });
    expect(values(batches[0]?.records ?? [])).toEqual(['b', 'c']);
  });

  it('pauses and resumes a partition', async () => {
    const topic = await newTopic();
    await send([text(topic, 'a')]);
    const seen: string[] = [];
    let resume: (() => void) | undefined;
    consume({
      topics: [topic],
      onAssigned: (partitions, control) => {
        for (const at of partitions) control.resume(at);
        resume = () => partitions.forEach((at) => control.resume(at));
        pause = () => partitions.forEach((at) => control.pause(at));
      },
      onBatch: async (batch) => {
        pause();
        seen.push(...values(batch.records));
        for (const { offset } of batch.records) batch.resolve(offset);
      },
    });
    let pause = (): void => undefined;

    await eventually(() => expect(seen).toEqual(['a']));
    await send([text(topic, 'b')]);
    await oneMoreFetchElsewhere();
    expect(seen).toEqual(['a']);
    resume?.();
    await eventually(() => expect(seen).toEqual(['a', 'b']));
  });

  it('leaves the group also when it is stopped while joining', async () => {
    const topic = await newTopic();
    await send([text(topic, 'a')]);
    const group = randomUUID();
    const { promise: busy, resolve: letGo } = deferred<void>();
    let hasBegun = false;
    const member = consume({
      group: `${prefix}${group}`,
      topics: [topic],
      onBatch: async () => {
        hasBegun = true;
        await busy;
      },
    });
    await eventually(() => expect(hasBegun).toBe(true));
    const { subscription } = assigned(topic, group);
    // The group waits for the busy consumer, and the second consumer for the group.
    await eventually(async () =>
      expect(await groupState(group)).toMatchObject({ state: 'PreparingRebalance' }),
    );

    const stopped = subscription.stop();
    letGo();
    await stopped;
    await eventually(
      async () => expect(await groupState(group)).toEqual({ state: 'Stable', members: 1 }),
      BEFORE_ITS_SESSION_ENDS,
    );
    expect(member.healthy()).toBe(true);
  });

  it('stops although Kafka has never answered', async () => {
    const nowhere = kafkaClient({ brokers: ['127.0.0.1:9'], clientId: 'test', log: silentLog });
    const subscription = nowhere.runConsumer({
      group: randomUUID(),
      topics: ['any'],
      concurrency: 1,
      onAssigned: () => undefined,
      onBatch: async () => undefined,
      onSkipped: () => undefined,
    });
    await expect(subscription.stop()).resolves.toBeUndefined();
  });

  it('is made anew after a crash, and not healthy until then', async () => {
    const topic = await newTopic();
    await send([text(topic, 'a')]);
    const seen: string[] = [];
    let isBroken = true;
    const subscription = consume({
      topics: [topic],
      onBatch: async (batch) => {
        if (isBroken) throw new TypeError('a defect, which kafkajs never retries');
        seen.push(...values(batch.records));
        for (const { offset } of batch.records) batch.resolve(offset);
      },
    });
    await eventually(() => expect(subscription.healthy()).toBe(true));
    await eventually(() => expect(subscription.healthy()).toBe(false));
    isBroken = false;
    await eventually(() => expect(subscription.healthy()).toBe(true));
    await eventually(() => expect(seen).toEqual(['a']));
  });

  it('is not taken for dead while a long batch makes progress', async () => {
    const topic = await newTopic();
    await send(['a', 'b', 'c', 'd', 'e', 'f'].map((value) => text(topic, value)));
    let joins = 0;
    const seen: string[] = [];
    consume({
      topics: [topic],
      silenceMaxMs: 1_000,
      onAssigned: (partitions, control) => {
        joins += 1;
        for (const at of partitions) control.resume(at);
      },
      onBatch: async (batch) => {
        for (const record of batch.records) {
          const aWhile = performance.now() + 500;
          await eventually(() => expect(performance.now()).toBeGreaterThan(aWhile));
          seen.push(...values([record]));
          batch.resolve(record.offset);
          await batch.heartbeat();
        }
      },
    });

    await eventually(() => expect(seen.join('')).toBe('abcdef'));
    expect(joins).toBe(1);
  });

  it('is made anew when it has not been heard of for too long', async () => {
    const topic = await newTopic();
    await send([text(topic, 'a')]);
    let joins = 0;
    let letGo: () => void = () => undefined;
    const hanging = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    consume({
      topics: [topic],
      silenceMaxMs: 1_000,
      onAssigned: (partitions, control) => {
        joins += 1;
        for (const at of partitions) control.resume(at);
      },
      onBatch: async () => (joins === 1 ? hanging : undefined),
    });
    await eventually(() => expect(joins).toBeGreaterThan(1), { deadlineMs: 30_000 });
    letGo();
  });

  it('waits for a topic that comes later, and is not healthy until then', async () => {
    const name = `later-${randomUUID()}`;
    const topic = `${prefix}${name}`;
    const subscription = consume({ topics: [topic], onBatch: async () => undefined });
    expect(subscription.healthy()).toBe(false);

    await kafka.admin().ensureTopics([{ name, partitions: 1, retentionMs: -1 }], prefix);
    await eventually(() => expect(subscription.healthy()).toBe(true));
  });
});

const values = (records: readonly InboundRecord[]): string[] =>
  records.map(({ value }) => value?.toString() ?? '');

const text = (topic: string, value: string): OutRecord => ({
  topic,
  key: 'k',
  headers: {},
  value: Buffer.from(value),
});

async function newTopic(partitions = 1): Promise<string> {
  const name = randomUUID();
  await kafka.admin().ensureTopics([{ name, partitions, retentionMs: -1 }], prefix);
  return `${prefix}${name}`;
}

async function send(records: readonly OutRecord[]): Promise<void> {
  const producer = await kafka.producer();
  try {
    await producer.sendBatch(records);
  } finally {
    await producer.close();
  }
}

/** Returns the state of a group according to Kafka. */
async function groupState(group: string) {
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const { groups } = await admin.describeGroups([`${prefix}${group}`]);
    return { state: groups[0]?.state, members: groups[0]?.members.length };
  } finally {
    await admin.disconnect();
  }
}

/** Waits until a separate group has read a record: by then every other consumer has had time to fetch. */
async function oneMoreFetchElsewhere(): Promise<void> {
  const topic = await newTopic();
  await send([text(topic, 'x')]);
  await consumed(topic, 1);
}

async function foreignProducer() {
  const producer = new Kafka({ brokers, logLevel: logLevel.NOTHING }).producer({
    createPartitioner: Partitioners.DefaultPartitioner,
  });
  await producer.connect();
  open.push({ stop: async () => producer.disconnect() });
  return producer;
}

function consume(options: Partial<ConsumeOptions> & Pick<ConsumeOptions, 'topics' | 'onBatch'>) {
  const subscription = kafka.runConsumer({
    group: `${prefix}${randomUUID()}`,
    concurrency: 2,
    onAssigned: (partitions, control) => {
      for (const at of partitions) control.resume(at);
    },
    onSkipped: () => undefined,
    ...options,
  });
  open.push(subscription);
  return subscription;
}

async function consumed(topic: string, count: number): Promise<readonly InboundRecord[]> {
  const records: InboundRecord[] = [];
  const subscription = consume({
    topics: [topic],
    onBatch: async (batch) => {
      records.push(...batch.records);
      for (const { offset } of batch.records) batch.resolve(offset);
    },
  });
  await eventually(() => expect(records.length).toBeGreaterThanOrEqual(count));
  await subscription.stop();
  return records;
}

function assigned(topic: string, group: string) {
  let count = 0;
  const subscription = consume({
    group: `${prefix}${group}`,
    topics: [topic],
    onBatch: async () => undefined,
    onAssigned: (partitions) => {
      count = partitions.length;
    },
  });
  return { subscription, count: () => count };
}
