import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { inTransaction } from '@junction/eventsourcing-postgres';
import { eventually } from '@junction/testing';
import { numbers, refuse, text, useConsumerStage } from '../../test/consumer-stage.js';
import { silentLog } from '../../test/silent-log.js';
import type { ConsumerOptions } from '../consumer/consumer.js';
import { eraseDeadLetters } from './erase-dead-letters.js';
import { operations } from './operations.js';

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
        if (text(records[0]) === 'bad') await refuse(records, tx);
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
});

describe('a parked key', () => {
  it('is redriven in order, and let go only when its followers are through', async () => {
    const { ops, topic, group, mend } = await consumer({ ordered: true });
    await sequenced(topic, ['1', 'bad', '3', 'bad too', '5']);
    await eventually(async () => expect(await list(ops, topic)).toHaveLength(4));
    const [last = '', third = '', second = '', first = ''] = await list(ops, topic);
    const at = { consumer: group, topic, key: 'k' };

    expect(await outcomes(ops.redrive([second], { by }))).toEqual(['waiting']);
    mend('bad');
    // The second of the followers fails: what is before it is done, the rest waits.
    expect((await ops.redriveKey(at, { by })).map(({ id, outcome }) => [id, outcome])).toEqual([
      [first, 'redriven'],
      [second, 'redriven'],
      [third, 'failed'],
    ]);
    expect(await effects(topic)).toEqual(['1', 'bad', '3']);
    expect(await parked(group)).toEqual(['k']);
    mend('bad too');
    expect(await outcomes(ops.redrive([third], { by }))).toEqual(['redriven']);
    expect(await parked(group)).toEqual(['k']);
    expect(await outcomes(ops.redrive([last], { by }))).toEqual(['redriven']);
    expect(await parked(group)).toEqual([]);

    await sequenced(topic, ['6'], 6);
    await eventually(async () =>
      expect(await effects(topic)).toEqual(['1', 'bad', '3', 'bad too', '5', '6']),
    );
  });

  it('takes no record twice that the relay wrote again while it waited', async () => {
    const { ops, topic, group, mend } = await consumer({ ordered: true });
    await sequenced(topic, ['bad', '2']);
    await sequenced(topic, ['bad', '2', '3']);
    await eventually(async () => expect(await list(ops, topic)).toHaveLength(5));
    mend();
    const results = ops.redriveKey({ consumer: group, topic, key: 'k' }, { by });
    expect((await outcomes(results)).sort()).toEqual(
      ['duplicate', 'duplicate', 'redriven', 'redriven', 'redriven'].sort(),
    );
    expect(await effects(topic)).toEqual(['bad', '2', '3']);
    expect(await parked(group)).toEqual([]);
  });

  it('lets a record that comes during the redrive follow it', async () => {
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let isRedriving = false;
    const { ops, topic, group } = await consumer({
      ordered: true,
      handle: async (records, tx) => {
        if (text(records[0]) === 'bad' && !isRedriving) await refuse(records, tx);
        if (text(records[0]) === 'bad') await held;
        await store(records, tx);
      },
    });
    await sequenced(topic, ['bad']);
    await eventually(async () => expect(await list(ops, topic)).toHaveLength(1));
    isRedriving = true;
    const redriving = ops.redriveKey({ consumer: group, topic, key: 'k' }, { by });
    await sequenced(topic, ['2'], 2);
    await eventually(async () => expect(await waitingForALock()).toBeGreaterThan(0));
    letGo();

    expect(await outcomes(redriving)).toEqual(['redriven']);
    await eventually(async () => expect(await effects(topic)).toEqual(['bad', '2']));
    expect(await list(ops, topic)).toEqual([]);
  });

  it('goes on behind a gap when the missing record comes, or when an operator accepts it', async () => {
    const { ops, topic, group } = await consumer({ ordered: true });
    const at = { consumer: group, topic, key: 'k' };
    await sequenced(topic, ['1']);
    await sequenced(topic, ['3'], 3);
    await eventually(async () => expect(await list(ops, topic)).toHaveLength(1));
    expect(await ops.redriveKey(at, { by })).toMatchObject([
      { outcome: 'failed', reason: { code: 'ce_sequence_gap' } },
    ]);
    await sequenced(topic, ['2'], 2);
    await eventually(async () => expect(await list(ops, topic)).toHaveLength(2));
    expect(await outcomes(ops.redriveKey(at, { by }))).toEqual(['redriven', 'redriven']);
    expect(await effects(topic)).toEqual(['1', '2', '3']);

    await sequenced(topic, ['5'], 5);
    await eventually(async () => expect(await list(ops, topic)).toHaveLength(1));
    expect(await outcomes(ops.redriveKey(at, { by, acceptGap: true }))).toEqual(['redriven']);
    expect(await parked(group)).toEqual([]);
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

  it('lets the followers of a parked key go on without it, whichever is dropped first', async () => {
    const { ops, topic, group } = await consumer({ ordered: true });
    await sequenced(topic, ['bad', '2', '3', '4']);
    await eventually(async () => expect(await list(ops, topic)).toHaveLength(4));
    const [, third = '', , first = ''] = await list(ops, topic);
    await ops.drop([third], { by, note: 'not needed' });
    expect(await outcomes(ops.redriveKey({ consumer: group, topic, key: 'k' }, { by }))).toEqual([
      'failed',
    ]);
    await ops.drop([first], { by, note: 'bad for ever' });
    expect(await outcomes(ops.redriveKey({ consumer: group, topic, key: 'k' }, { by }))).toEqual([
      'redriven',
      'redriven',
    ]);
    expect(await effects(topic)).toEqual(['2', '4']);
    expect(await parked(group)).toEqual([]);
  });

  it('of all that waits lets the key go, and its next record is no gap', async () => {
    const { ops, topic, group } = await consumer({ ordered: true });
    await sequenced(topic, ['bad', '2']);
    await eventually(async () => expect(await list(ops, topic)).toHaveLength(2));
    const { results } = await ops.dropMatching({ topic }, { by, note: 'gone for good' });
    expect(results.map(({ outcome }) => outcome)).toEqual(['dropped', 'dropped']);
    expect(await parked(group)).toEqual([]);
    await sequenced(topic, ['bad', '2', '3']); // the relay repeats the first two
    await eventually(async () => expect(await effects(topic)).toEqual(['3']));
    expect(await list(ops, topic)).toEqual([]);
  });
});

describe('the erasure of a user', () => {
  it('deletes what their records left, whatever became of it, and nobody else’s', async () => {
    const { ops, topic, group } = await consumer({ ordered: true });
    const [user, other] = [randomUUID(), randomUUID()];
    await sequenced(topic, ['bad', '2'], 1, { key: user, subject: user });
    await sequenced(topic, ['bad', '2'], 1, { key: other, subject: other });
    await eventually(async () => expect(await list(ops, topic)).toHaveLength(4));

    const gone = await inTransaction(database().pool, (tx) => eraseDeadLetters(tx, user));
    expect(gone).toBe(2);
    expect((await ops.list({ topic }, { limit: 9 })).items.map(({ key }) => key)).toEqual([
      other,
      other,
    ]);
    expect(await parked(group)).toEqual([other]);
    await sequenced(topic, ['3'], 3, { key: user, subject: user });
    await eventually(async () => expect(await effects(topic)).toEqual(['3']));
  });
});

const common = () => ({ pool: database().pool, kafka, topicPrefix: prefix, log: silentLog });

/** A consumer of a new topic that refuses what begins with "bad", until it is mended. */
async function consumer(options: Partial<ConsumerOptions>) {
  const topic = await newTopic();
  const group = randomUUID();
  const good = new Set<string>();
  let isMended = false;
  const done: string[] = [];
  const started = await stage.start({
    topics: [topic],
    group,
    handle: async (records, tx) => {
      const isBad = (value: string) => value.startsWith('bad') && !isMended && !good.has(value);
      if (records.map(text).some(isBad)) await refuse(records, tx);
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
    mend: (value?: string) => {
      if (value === undefined) isMended = true;
      else good.add(value);
    },
  };
}

/** Open ones, newest first. */
const list = async (ops: ReturnType<typeof operations>, topic: string): Promise<string[]> =>
  (await ops.list({ topic }, { limit: 200 })).items.map(({ id }) => id);

const outcomes = async (results: Promise<readonly { readonly outcome: string }[]>) =>
  (await results).map(({ outcome }) => outcome);

async function sequenced(
  topic: string,
  values: readonly string[],
  from = 1,
  { key = 'k', subject = '' } = {},
): Promise<void> {
  for (const [index, value] of values.entries()) {
    const headers = { ce_sequence: `${from + index}`, ...(subject && { ce_subject: subject }) };
    await send(topic, [value], () => key, headers);
  }
}

async function parked(group: string): Promise<readonly string[]> {
  const { rows } = await database().pool.query<{ key: string }>(
    'select key from parked_keys where consumer = $1',
    [group],
  );
  return rows.map(({ key }) => key);
}

async function waitingForALock(): Promise<number> {
  const { rows } = await database().pool.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]?.n ?? 0;
}
