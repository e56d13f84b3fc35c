import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { inTransaction } from '@junction/eventsourcing-postgres';
import { eventually } from '@junction/testing';
import { numbers, refuse, text, useConsumerStage } from '../../test/consumer-stage.js';
import { silentLog } from '../../test/silent-log.js';
import type { ConsumerOptions } from '../consumer/consumer.js';
import { operations } from '../operations.js';
import { deleteDeadLetters } from './delete-dead-letters.js';

const stage = useConsumerStage();
const { database, kafka, prefix, newTopic, send, store, effects } = stage;
const by = 'cli_1';

describe('dead letters', () => {
  it('are listed newest first, page by page, and shown with what was in them', async () => {
    const { ops, topic, group } = await consumer({ handle: refuse });
    const user = randomUUID();
    await send(topic, numbers(1, 5), () => 'k', { ce_subject: user });
    await eventually(async () => expect((await list(ops, topic)).length).toBe(5));

    const first = await ops.list({ topic }, { limit: 3 });
    const second = await ops.list({ topic }, { limit: 3, after: first.next ?? '' });
    const offsets = [...first.items, ...second.items].map(({ offset }) => offset);
    expect(offsets).toEqual([4n, 3n, 2n, 1n, 0n]);
    expect(second.next).toBeUndefined();

    expect(await ops.show(first.items[0]?.id ?? '')).toMatchObject({
      consumer: group,
      topic,
      key: 'k',
      userId: user,
      reason: { code: 'refused' },
      state: 'open',
      headers: { ce_subject: user },
      payload: Buffer.from('5'),
    });
    await expect(ops.show(randomUUID())).rejects.toMatchObject({ kind: 'not_found' });
    await expect(ops.show('nonsense')).rejects.toMatchObject({ kind: 'not_found' });
  });

  it.each([
    ['consumer', 5],
    ['topic', 5],
    ['reason', 5],
    ['key', 1],
    ['userId', 5],
  ] as const)('are found by %s', async (field, count) => {
    const { ops, topic, group } = await consumer({ handle: refuse });
    const userId = randomUUID();
    await send(topic, numbers(1, 5), (value) => `key-${value}`, { ce_subject: userId });
    await eventually(async () => expect(await list(ops, topic)).toHaveLength(5));
    const fitting = { consumer: group, topic, reason: 'refused', key: 'key-3', userId };
    const other = { ...fitting, [field]: randomUUID() };

    expect((await ops.list({ topic, [field]: fitting[field] }, { limit: 9 })).items).toHaveLength(
      count,
    );
    expect((await ops.list({ topic, [field]: other[field] }, { limit: 9 })).items).toEqual([]);
  });

  it('are not looked for with a user id that is none', async () => {
    const { ops } = await consumer({});
    const asked = ops.list({ userId: `' or true` }, { limit: 1 });
    await expect(asked).rejects.toMatchObject({ kind: 'invalid', fields: [{ field: 'user_id' }] });
  });
});

describe('a redrive', () => {
  it('handles a record as if it had just come, once', async () => {
    const { ops, topic, mend } = await consumer({});
    await send(topic, ['a', 'bad', 'c']);
    await eventually(async () => expect(await effects(topic)).toEqual(['a', 'c']));
    const [id = ''] = await list(ops, topic);

    expect(await ops.redrive([id], { by })).toEqual([
      { id, outcome: 'failed', reason: { code: 'refused', text: 'It is refused.' } },
    ]);
    expect(await ops.show(id)).toMatchObject({ redrives: 1, state: 'open' });
    mend();
    expect(await outcomes(ops.redrive([id], { by }))).toEqual(['redriven']);
    expect(await outcomes(ops.redrive([id, randomUUID(), 'x'], { by }))).toEqual([
      'resolved',
      'not_found',
      'not_found',
    ]);
    expect(await effects(topic)).toEqual(['a', 'c', 'bad']);
    expect(await ops.show(id)).toMatchObject({ state: 'redriven', resolvedBy: by });
  });

  it('changes nothing when the surroundings fail', async () => {
    let isDown = false;
    const { ops, topic } = await consumer({
      handle: async (records, tx) => {
        await store(records, tx);
        if (isDown) throw new AppError('unavailable', 'away', 'Auth is away.');
        if (text(records[0]) === 'bad') await refuse();
      },
    });
    await send(topic, ['bad']);
    await eventually(async () => expect(await list(ops, topic)).toHaveLength(1));
    isDown = true;
    const [id = ''] = await list(ops, topic);
    await expect(ops.redrive([id], { by })).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await ops.show(id)).toMatchObject({ state: 'open', redrives: 0 });
    expect(await effects(topic)).toEqual([]);
  });

  it('calls back after its commit, and takes all that fit a filter', async () => {
    const { ops, topic, mend, committed } = await consumer({});
    await send(topic, ['bad 1', 'bad 2']);
    await eventually(async () => expect(await list(ops, topic)).toHaveLength(2));
    mend();
    const { results, more } = await ops.redriveMatching({ topic, reason: 'refused' }, { by });
    expect(results.map(({ outcome }) => outcome)).toEqual(['redriven', 'redriven']);
    expect([more, committed()]).toEqual([false, ['bad 1', 'bad 2']]);
  });

  it('is refused where the handler is not', async () => {
    const { ops, topic } = await consumer({ handle: refuse });
    await send(topic, ['x']);
    await eventually(async () => expect(await list(ops, topic)).toHaveLength(1));
    const elsewhere = operations({ ...common(), consumers: [] });
    const asked = elsewhere.redrive(await list(ops, topic), { by });
    await expect(asked).rejects.toMatchObject({ code: 'consumer_unknown' });
  });

  it('comes after the records that followed, and once if two ask for it', async () => {
    const { ops, topic, mend } = await consumer({ dropDuplicates: true });
    await sequenced(topic, ['1', 'bad', '3']);
    await eventually(async () => expect(await effects(topic)).toEqual(['1', '3']));
    mend();
    const ids = await list(ops, topic);
    const both = await Promise.all([ops.redrive(ids, { by }), ops.redrive(ids, { by })]);
    expect(
      both
        .flat()
        .map(({ outcome }) => outcome)
        .sort(),
    ).toEqual(['redriven', 'resolved']);
    expect(await effects(topic)).toEqual(['1', '3', 'bad']);
  });
});

describe('a drop', () => {
  it('needs a reason, and is kept with who gave it', async () => {
    const { ops, topic } = await consumer({ handle: refuse });
    await send(topic, ['x']);
    await eventually(async () => expect(await list(ops, topic)).toHaveLength(1));
    const ids = await list(ops, topic);
    await expect(ops.drop(ids, { by, note: '  ' })).rejects.toMatchObject({ kind: 'invalid' });
    expect(await outcomes(ops.drop(ids, { by, note: 'a test of ours' }))).toEqual(['dropped']);
    expect(await outcomes(ops.drop(ids, { by, note: 'again' }))).toEqual(['resolved']);
    expect(await ops.show(ids[0] ?? '')).toMatchObject({
      state: 'discarded',
      resolvedBy: by,
      note: 'a test of ours',
    });
  });

  it('of all that fit a filter leaves other letters open', async () => {
    const { ops, topic } = await consumer({ handle: refuse });
    const user = randomUUID();
    await send(topic, ['x', 'y'], (value) => value, { ce_subject: user });
    await send(topic, ['z']);
    await eventually(async () => expect(await list(ops, topic)).toHaveLength(3));
    const dropped = await ops.dropMatching({ topic, userId: user }, { by, note: 'gone for good' });
    expect(dropped).toMatchObject({
      results: [{ outcome: 'dropped' }, { outcome: 'dropped' }],
      more: false,
    });
    expect(await list(ops, topic)).toHaveLength(1);
    expect(await outcomes(ops.drop([randomUUID(), 'x'], { by, note: 'nobody' }))).toEqual([
      'not_found',
      'not_found',
    ]);
  });
});

describe('the deletion of a user', () => {
  it('deletes the letters about the user, open or not, and nobody else’s', async () => {
    const { ops, topic } = await consumer({});
    const [user, other] = [randomUUID(), randomUUID()];
    await send(topic, ['bad 1', 'bad 2'], (value) => value, { ce_subject: user });
    await send(topic, ['bad 3'], (value) => value, { ce_subject: other });
    await eventually(async () => expect(await list(ops, topic)).toHaveLength(3));
    await ops.drop((await list(ops, topic)).slice(-1), { by, note: 'not needed' });

    const deleted = await inTransaction(database().pool, (tx) => deleteDeadLetters(tx, user));
    expect(deleted).toBe(2);
    expect((await ops.list({ topic }, { limit: 9 })).items).toMatchObject([{ userId: other }]);
  });
});

const common = () => ({ pool: database().pool, kafka, topicPrefix: prefix, log: silentLog });

/** A consumer of a new topic that refuses what begins with "bad", until it is mended. */
async function consumer(options: Partial<ConsumerOptions>) {
  const topic = await newTopic();
  const group = randomUUID();
  let isMended = false;
  const done: string[] = [];
  const started = await stage.start({
    topics: [topic],
    group,
    handle: async (records, tx) => {
      const isBad = (value: string) => value.startsWith('bad') && !isMended;
      if (records.map(text).some(isBad)) await refuse();
      await store(records, tx);
      return () => void done.push(...records.map(text));
    },
    ...options,
  });
  return {
    topic,
    group,
    ops: operations({ ...common(), consumers: [started] }),
    committed: () => done,
    mend: () => {
      isMended = true;
    },
  };
}

/** Open ones, newest first. */
const list = async (ops: ReturnType<typeof operations>, topic: string): Promise<string[]> =>
  (await ops.list({ topic }, { limit: 200 })).items.map(({ id }) => id);

const outcomes = async (results: Promise<readonly { readonly outcome: string }[]>) =>
  (await results).map(({ outcome }) => outcome);

async function sequenced(topic: string, values: readonly string[]): Promise<void> {
  for (const [index, value] of values.entries()) {
    await send(topic, [value], () => 'k', { ce_sequence: `${index + 1}` });
  }
}
