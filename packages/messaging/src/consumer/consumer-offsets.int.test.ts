import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { kafkaClient, silentLog } from '@junction/kafka';
import { eventually } from '@junction/testing';
import { numbers, useConsumerStage } from '../../test/consumer-stage.js';
import { operations } from '../operations.js';
import { haltedPartitions } from './halted-partitions.js';

const stage = useConsumerStage();
const { database, kafka, prefix, start, newTopic, send, effects, storedOffset } = stage;
const { refuseBad, deadLetters, deleteRecords, storeOffset } = stage;

describe('consumers', () => {
  it('are listed with their offsets, the ends of their logs, and their owners', async () => {
    const { topic, group, at } = await named();
    await send(topic, numbers(1, 3));
    const consumer = await start({ topics: [topic], group });
    await eventually(async () => expect(await effects(topic)).toHaveLength(3));
    await eventually(async () => expect((await stateOf(group))?.state).toBe('running'));
    expect(await stateOf(group)).toEqual({
      ...at,
      offset: 3n,
      end: 3n,
      lag: 0n,
      state: 'running',
      reason: undefined,
      owner: expect.stringMatching(/./),
    });

    await consumer.stop();
    await forgetMembers(group);
    await send(topic, numbers(4, 5));
    expect(await stateOf(group)).toMatchObject({ state: 'stopped', lag: 2n, owner: undefined });
  });

  it('are listed without the end of their log when Kafka does not answer', async () => {
    const { topic, group } = await named();
    await start({ topics: [topic], group });
    await eventually(async () => expect(await storedOffset(group)).toBe('0'));
    const noKafka = kafkaClient({ brokers: ['127.0.0.1:1'], clientId: 'none', log: silentLog });
    const listed = await operations({ ...common(), kafka: noKafka }).consumers();
    expect(listed.find(({ consumer }) => consumer === group)).toMatchObject({ end: undefined });
  });
});

describe('partitions at which a consumer does not go on', () => {
  const halted = (at: { readonly consumer: string; readonly topic: string }) =>
    haltedPartitions(database().pool, [at]);
  const aMinutePasses = (group: string) =>
    database().pool.query(
      `update consumer_partitions set seen_at = seen_at - interval '61 s',
              failing_since = failing_since - interval '61 s' where consumer = $1`,
      [group],
    );

  it('are those that nobody has had for a minute, and a topic that nobody has ever had', async () => {
    const { topic, group, at } = await named(2);
    const found = (partitions: readonly number[]) => [
      { consumer: group, topic, state: 'stopped', reason: null, partitions, of: partitions.length },
    ];
    expect(await halted(at)).toEqual(found([]));
    const consumer = await start({ topics: [topic], group });
    await eventually(async () => expect((await stateOf(group))?.state).toBe('running'));
    await consumer.stop();
    expect(await halted(at)).toEqual([]);
    await aMinutePasses(group);
    expect(await halted(at)).toEqual(found([0, 1]));
  });

  it('are those that fail for a minute, whatever they try meanwhile', async () => {
    const { topic, group, at } = await named(2);
    let isAway = true;
    const away = Object.assign(new Error('away'), { code: '57P03' });
    const consumer = await start({
      topics: [topic],
      group,
      handle: async (records, tx) => {
        if (isAway) throw away;
        await stage.store(records, tx);
      },
    });
    await send(topic, ['1']);
    const failing = await eventually(() => {
      const [found] = consumer.status().filter(({ state }) => state === 'backing_off');
      expect(found).toBeDefined();
      return found?.partition;
    });
    const reported = async () =>
      database().pool.query(
        'select from consumer_partitions where consumer = $1 and failing_since is not null',
        [group],
      );
    await eventually(async () => expect((await reported()).rowCount).toBe(1));
    expect(await halted(at)).toEqual([]);
    await database().pool.query(
      `update consumer_partitions set failing_since = failing_since - interval '61 s' where consumer = $1`,
      [group],
    );
    const state = 'failing';
    expect(await halted(at)).toEqual([
      { consumer: group, topic, state, reason: null, partitions: [failing], of: 2 },
    ]);
    isAway = false;
    await eventually(async () => expect((await reported()).rowCount).toBe(0));
  });

  it('are those whose place is lost, also after their member is gone, until they are reset', async () => {
    const { topic, group, at } = await named();
    await send(topic, numbers(1, 3));
    await storeOffset(group, topic, 10);
    const consumer = await start({ topics: [topic], group });
    const reason = 'The offset 10 is behind the end of the log, 3.';
    const lost = [{ consumer: group, topic, state: 'offset_lost', reason, partitions: [0], of: 1 }];
    await eventually(async () => expect(await halted(at)).toEqual(lost));
    await consumer.stop();
    await aMinutePasses(group);
    await database().pool.query(
      `update consumer_offsets set updated_at = now() - interval '1 h' where consumer = $1`,
      [group],
    );
    expect(await halted(at)).toEqual(lost);
    await ops().reset(at, { to: 'beginning' });
    expect(await halted(at)).toMatchObject([{ state: 'stopped' }]);
  });
});

describe('an offset', () => {
  it('is set by a reset when it was lost, and the partition goes on by itself', async () => {
    const { topic, group, at } = await named();
    await send(topic, numbers(1, 3));
    await storeOffset(group, topic, 10);
    const consumer = await start({ topics: [topic], group });
    await eventually(() => expect(consumer.status()[0]?.state).toBe('offset_lost'));
    await eventually(async () => expect((await stateOf(group))?.state).toBe('offset_lost'));

    expect(await ops().reset(at, { to: 'offset', offset: 1n })).toEqual({
      ...at,
      from: 10n,
      offset: 1n,
      records: 2n,
    });
    // The member has not reported since.
    const again = ops().reset(at, { to: 'beginning' });
    await expect(again).rejects.toMatchObject({ code: 'partition_consumed' });
    await eventually(async () => expect(await effects(topic)).toEqual(['2', '3']));
    expect(consumer.healthy()).toBe(true);
    await eventually(async () => expect((await stateOf(group))?.state).toBe('running'));
  });

  it('is lost when it falls behind the log while it is consumed, and nothing is skipped', async () => {
    const { topic, group, at } = await named();
    let isHeld = true;
    await send(topic, numbers(1, 4));
    const consumer = await start({
      topics: [topic],
      group,
      batchMax: 1,
      handle: async (records, tx) => {
        if (isHeld) throw Object.assign(new Error('away'), { code: '57P03' });
        await stage.store(records, tx);
      },
    });
    await eventually(() => expect(consumer.status()[0]?.state).toBe('backing_off'));
    await deleteRecords(topic, '2');
    await eventually(() => expect(consumer.status()[0]?.state).toBe('offset_lost'), SLOW);
    expect(await storedOffset(group)).toBe('0');
    expect(consumer.healthy()).toBe(false);

    isHeld = false;
    await ops().reset(at, { to: 'beginning' });
    await eventually(async () => expect(await effects(topic)).toEqual(['3', '4']));
  });

  it('is not reset while its partition is consumed, unless by force', async () => {
    const { topic, group, at } = await named();
    await send(topic, numbers(1, 3));
    await start({ topics: [topic], group });
    await eventually(async () => expect(await effects(topic)).toHaveLength(3));
    await eventually(async () => expect((await stateOf(group))?.state).toBe('running'));

    const refused = ops().reset(at, { to: 'beginning' });
    await expect(refused).rejects.toMatchObject({ code: 'partition_consumed' });
    expect(await storedOffset(group)).toBe('3');
    // Nothing new comes, so the member learns of the reset only from the table.
    await ops().reset(at, { to: 'beginning' }, { force: true });
    await eventually(async () =>
      expect(await effects(topic)).toEqual([...numbers(1, 3), ...numbers(1, 3)]),
    );
    expect(await storedOffset(group)).toBe('3');
  });

  it('sets no record aside a second time when it is reset', async () => {
    const { topic, group, at } = await named();
    await send(topic, ['1', 'bad', '3']);
    const consumer = await start({ topics: [topic], group, handle: refuseBad });
    await eventually(async () => expect(await effects(topic)).toEqual(['1', '3']));
    await consumer.stop();
    await ops().reset(at, { to: 'beginning' }, { force: true });
    await start({ topics: [topic], group, handle: refuseBad });
    await eventually(async () => expect(await effects(topic)).toEqual(['1', '3', '1', '3']));
    expect(await deadLetters(topic)).toHaveLength(1);
  });

  it('is reset to the end, to a time, and nowhere outside the log', async () => {
    const { topic, group, at } = await named();
    const producer = await stage.foreignProducer();
    const messages = [1_000, 2_000, 3_000].map((ms) => ({ value: `${ms}`, timestamp: `${ms}` }));
    await producer.send({ topic: `${prefix}${topic}`, messages });
    await storeOffset(group, topic, 0);

    expect(await ops().reset(at, { to: 'end' })).toMatchObject({
      from: 0n,
      offset: 3n,
      records: 0n,
    });
    const reset = async (ms: number) =>
      (await ops().reset(at, { to: 'time', time: new Date(ms) })).offset;
    const found = [await reset(-1), await reset(2_000), await reset(2_001), await reset(9_000)];
    expect(found).toEqual([0n, 1n, 2n, 3n]);
    await expect(ops().reset(at, { to: 'offset', offset: 4n })).rejects.toMatchObject({
      kind: 'invalid',
      message: 'offset must be within the log, 0 to 3.',
    });
    const unknown = ops().reset({ ...at, consumer: 'nobody' }, { to: 'end' });
    await expect(unknown).rejects.toMatchObject({ code: 'partition_unknown' });
    for (const mistyped of [{ topic: `${topic}.mistyped` }, { partition: 2 ** 32 }]) {
      const unknown = ops().reset({ ...at, ...mistyped }, { to: 'end' });
      await expect(unknown).rejects.toMatchObject({ code: 'partition_unknown' });
    }
  });
});

const SLOW = { deadlineMs: 30_000 };

const common = () => ({
  pool: database().pool,
  kafka,
  topicPrefix: prefix,
  consumers: [],
  log: silentLog,
});

const ops = () => operations(common());

async function named(partitions = 1) {
  const topic = await newTopic(partitions);
  const group = randomUUID();
  return { topic, group, at: { consumer: group, topic, partition: 0 } };
}

const stateOf = async (group: string) =>
  (await ops().consumers()).find(({ consumer }) => consumer === group);

/** Makes the last reports of all members older than ten seconds. */
const forgetMembers = (group: string) =>
  database().pool.query(
    `update consumer_partitions set seen_at = seen_at - interval '11 s' where consumer = $1`,
    [group],
  );
