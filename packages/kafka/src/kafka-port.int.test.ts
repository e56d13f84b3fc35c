import { describe, expect, it } from '@jest/globals';
import { ConfigResourceTypes, Kafka, logLevel } from 'kafkajs';
import Broker from 'kafkajs/src/broker/index.js';
import { textRecord, usePort } from '../test/port-stage.js';
import { kafkaClient } from './kafka-client.js';
import { silentLog } from './log.js';

const { brokers, prefix, kafka, open, newTopic, send, consumed, foreignProducer } = usePort();

describe('the bounds of a log', () => {
  it('are of a topic id, which is another one once the topic is made anew', async () => {
    const topic = await newTopic();
    const idOf = async () => (await kafka.admin().logBounds(topic)).get(0)?.topicId;
    const before = await idOf();
    expect(before).toMatch(/^[\w-]{22}$/);
    await kafka.admin().deleteTopics([topic]);
    await newTopic(1, topic);
    expect(await idOf()).toMatch(/^[\w-]{22}$/);
    expect(await idOf()).not.toBe(before);
  });

  it('are of no topic id where brokers cannot be asked by one', async () => {
    const topic = await newTopic();
    await kafka.admin().logBounds(topic);
    const { metadata } = Broker.prototype;
    Broker.prototype.metadata = function before31(topics) {
      const versions = { ...this.versions, 3: { maxVersion: 11 } };
      return metadata.call(Object.create(this, { versions: { value: versions } }), topics);
    };
    const [bounds] = (await kafka.admin().logBounds(topic)).values();
    Broker.prototype.metadata = metadata;
    expect(bounds).toEqual({ topicId: undefined, low: 0n, high: 0n, inTime: undefined });
  });
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

it('a producer finishes what is under way for others when one of its batches fails', async () => {
  const topic = await newTopic();
  const producer = await kafka.producer();
  open.push({ stop: async () => producer.close() });
  let hasFailed = false;
  const failing = producer.sendBatch([textRecord(`${prefix}nowhere`, 'x')]).catch(() => {
    hasFailed = true;
  });

  let sent = 0;
  const sendOne = async () => {
    await producer.sendBatch([textRecord(topic, 'a')]);
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

it('a probe is answered, also about a topic that is not there, and refused where no broker listens', async () => {
  const there = kafka.probe(await newTopic());
  await there.ask();
  await there.ask();
  const missing = kafka.probe(`${prefix}missing`);
  await missing.ask();
  await missing.ask();
  await Promise.all([there.close(), missing.close()]);

  const nowhere = kafkaClient({ brokers: ['127.0.0.1:9'], clientId: 'test', log: silentLog });
  await expect(nowhere.probe('any').ask()).rejects.toThrow('ECONNREFUSED');
});
