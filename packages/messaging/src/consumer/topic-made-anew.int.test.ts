import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { deferred } from '@junction/async';
import { silentLog } from '@junction/kafka';
import { eventually } from '@junction/testing';
import { numbers, useConsumerStage } from '../../test/consumer-stage.js';
import { operations } from '../operations.js';

const stage = useConsumerStage();
const { database, kafka, prefix, start, newTopic, makeAnew, send, effects, storedOffset } = stage;
const SLOW = { deadlineMs: 30_000 };

describe.each([
  ['handles records as they come', {}],
  ['starts work on records before it handles them', { prepare: stage.preparedAtOnce }],
])('a topic that was made anew, of a consumer that %s', (_, ahead) => {
  it('is not read from its middle while the consumer runs, and from its beginning once it is reset', async () => {
    const topic = await newTopic();
    const group = randomUUID();
    await send(topic, numbers(1, 3));
    const consumer = await start({ topics: [topic], group, ...ahead });
    await eventually(async () => expect(await effects(topic)).toEqual(numbers(1, 3)));

    const [before, after] = await makeAnew(topic);
    await send(topic, numbers(11, 18));
    await eventually(() => expect(consumer.status()[0]?.state).toBe('offset_lost'), SLOW);
    expect(consumer.healthy()).toBe(false);
    expect(await storedOffset(group)).toBe('3');
    await eventually(async () =>
      expect(await listed(group)).toMatchObject({
        state: 'offset_lost',
        reason: `The topic was made anew: the offset counts in the topic with the id ${before}, and the topic has the id ${after}.`,
      }),
    );

    const at = { consumer: group, topic, partition: 0 };
    expect(await ops().reset(at, { to: 'beginning' })).toMatchObject({ offset: 0n, records: 8n });
    await eventually(async () =>
      expect(await effects(topic)).toEqual([...numbers(1, 3), ...numbers(11, 18)]),
    );
    await eventually(async () =>
      expect(await listed(group)).toMatchObject({ state: 'running', reason: undefined }),
    );
  }, 60_000);
});

describe('a topic that was made anew', () => {
  it('is not read from its middle when it comes back while nobody runs', async () => {
    const topic = await newTopic();
    const group = randomUUID();
    await send(topic, numbers(1, 3));
    const consumer = await start({ topics: [topic], group });
    await eventually(async () => expect(await effects(topic)).toEqual(numbers(1, 3)));
    await consumer.stop();
    await makeAnew(topic);
    await send(topic, numbers(11, 18));

    const next = await start({ topics: [topic], group });
    await eventually(() => expect(next.status()[0]?.state).toBe('offset_lost'));
    expect(await effects(topic)).toEqual(numbers(1, 3));
  });

  it('is noticed while it is empty, before a record comes', async () => {
    const topic = await newTopic();
    await send(topic, numbers(1, 3));
    const consumer = await start({ topics: [topic] });
    await eventually(async () => expect(await effects(topic)).toEqual(numbers(1, 3)));
    await makeAnew(topic);
    await eventually(() => expect(consumer.status()[0]?.state).toBe('offset_lost'), SLOW);
  }, 60_000);

  it('takes nothing from what was handed on before it was, nor gets the offset of that', async () => {
    const topic = await newTopic();
    const group = randomUUID();
    const [begun, goOn] = [deferred<void>(), deferred<void>()];
    await send(topic, numbers(1, 3));
    await start({
      topics: [topic],
      group,
      handle: async (records, tx) => {
        begun.resolve();
        await goOn.promise;
        await stage.store(records, tx);
      },
    });
    await begun.promise;
    const [, after] = await makeAnew(topic);
    await send(topic, numbers(11, 13));
    // An operator was faster than the batch: the row says the same offset, of the other topic.
    await database().pool.query('update consumer_offsets set topic_id = $2 where consumer = $1', [
      group,
      after,
    ]);
    goOn.resolve();
    await eventually(async () => expect(await effects(topic)).toEqual(numbers(11, 13)), SLOW);
    expect(await storedOffset(group)).toBe('3');
  }, 60_000);
});

describe('an offset behind the end of its log', () => {
  it('is lost at once, also where Kafka has no ids', async () => {
    const topic = await newTopic();
    await send(topic, numbers(1, 3));
    const withoutIds = {
      ...kafka,
      admin: () => ({ ...kafka.admin(), logBounds: async (name: string) => boundsOf(name) }),
    };
    const boundsOf = async (name: string) => {
      const bounds = await kafka.admin().logBounds(name);
      return new Map([...bounds].map(([n, one]) => [n, { ...one, topicId: undefined }]));
    };
    const consumer = await start({ topics: [topic], kafka: withoutIds });
    await eventually(async () => expect(await effects(topic)).toEqual(numbers(1, 3)));
    await makeAnew(topic);
    await eventually(() => expect(consumer.status()[0]?.state).toBe('offset_lost'), SLOW);
  }, 60_000);
});

describe('an offset that was stored without an id', () => {
  it('takes that of the topic when it fits into its log', async () => {
    const { topic, group } = await storedWithoutId(2);
    const consumer = await start({ topics: [topic], group });
    await eventually(async () => expect(await effects(topic)).toEqual(['3']));
    const [before] = await makeAnew(topic);
    await eventually(() => expect(consumer.status()[0]?.state).toBe('offset_lost'), SLOW);
    const { reason } = (await listed(group)) ?? {};
    expect(reason).toContain(before);
  }, 60_000);

  it('takes none when it lies behind the end of the log, and waits also once the log has grown past it', async () => {
    const { topic, group } = await storedWithoutId(10);
    const consumer = await start({ topics: [topic], group });
    await eventually(() => expect(consumer.status()[0]?.state).toBe('offset_lost'));
    await send(topic, numbers(4, 20));
    await consumer.stop();

    const next = await start({ topics: [topic], group });
    await eventually(() => expect(next.status()[0]?.state).toBe('offset_lost'));
    const at = { consumer: group, topic, partition: 0 };
    expect(await listed(group)).toMatchObject({
      reason: 'The offset 10 is behind the end of the log, 3.',
    });
    // The reset changes nothing but that somebody has decided.
    await ops().reset(at, { to: 'offset', offset: 10n });
    await eventually(async () => expect(await effects(topic)).toEqual(numbers(11, 20)));
  });
});

async function storedWithoutId(offset: number) {
  const topic = await newTopic();
  const group = randomUUID();
  await send(topic, numbers(1, 3));
  await stage.storeOffset(group, topic, offset);
  return { topic, group };
}

const ops = () =>
  operations({
    pool: database().pool,
    kafka,
    topicPrefix: prefix,
    consumers: [],
    log: silentLog,
  });

const listed = async (group: string) =>
  (await ops().consumers()).find(({ consumer }) => consumer === group);
