import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { inTransaction } from '@junction/eventsourcing/postgres';
import { silentLog } from '@junction/kafka';
import { numbers, refuse, text } from '../../test/consumer-stage.js';
import { type Inbox, useInboxes } from '../../test/inbox.js';
import type { Some } from '../operations.js';
import { deleteDeadLetters } from './delete-dead-letters.js';
import { redriveDeadLetter } from './redrive.js';

const { database, open } = useInboxes();
const by = 'cli_1';

describe('a record that nobody can handle', () => {
  it('is a dead letter with its reason, is announced, and the next records follow', async () => {
    const { consumer, topic, deliver, effects, letters, notices } = await open();
    const user = randomUUID();
    const headers = { ce_subject: user, ce_id: '1' };
    await deliver('a', { value: Buffer.from('bad'), headers }, 'c');

    expect(await effects()).toEqual(['a', 'c']);
    expect(await letters()).toMatchObject([
      {
        partition: 0,
        record_offset: 1,
        key: 'k',
        headers,
        payload: 'bad',
        reason_code: 'refused',
        reason_text: 'It is refused.',
        user_id: user,
      },
    ]);
    const reason = { code: 'refused', text: 'It is refused.' };
    expect(await notices()).toEqual([
      { id: expect.any(String), consumer, topic, partition: 0, offset: '1', reason },
    ]);
  });

  it('is tried three times when its error is not clear, without a trace of its words', async () => {
    let tries = 0;
    const inbox: Inbox = await open({
      handle: async (records, tx) => {
        await inbox.store(records, tx);
        if (records.length === 1 && text(records[0]) === 'bad') tries += 1;
        if (records.map(text).includes('bad')) await tx.query(`select 'secret'::uuid`);
      },
    });
    await inbox.deliver('a', 'bad', 'c');

    expect(await inbox.effects()).toEqual(['a', 'c']);
    expect(tries).toBe(3);
    expect(await inbox.letters()).toMatchObject([
      {
        reason_code: 'handler_failed',
        reason_text: 'Handling it failed 3 times with error 22P02.',
      },
    ]);
    expect(JSON.stringify(await inbox.notices())).not.toContain('secret');
  });

  it('is found although the handler swallowed the error of its statement', async () => {
    const inbox: Inbox = await open({
      handle: async (records, tx) => {
        await inbox.store(records, tx);
        if (records.map(text).includes('bad')) await tx.query('select 1/0').catch(() => undefined);
      },
    });
    await inbox.deliver('a', 'bad', 'c');
    expect(await inbox.effects()).toEqual(['a', 'c']);
    expect(await inbox.letters()).toHaveLength(1);
  });

  it('can be stored whatever it is made of', async () => {
    const { deliver, letters } = await open({ handle: refuse });
    const headers = { 'h\u0000': 'v\u0000' };
    await deliver({ key: 'k\u0000'.repeat(2_000), headers, value: null }, { key: null });
    expect(await letters()).toMatchObject([
      { headers: { 'h\uFFFD': 'v\uFFFD' }, payload: null },
      { key: null, headers: {}, payload: '' },
    ]);
  });

  it.each([Number.NaN, -1, -8_640_000_000_000_000, 8_640_000_000_000_000])(
    'can be stored, once, whatever its timestamp is: %d',
    async (ms) => {
      const { deliver, letters, effects } = await open();
      const bad = { value: Buffer.from('bad'), timestamp: new Date(ms) };
      await deliver('a', bad, 'c');
      expect(await effects()).toEqual(['a', 'c']);
      expect(await letters()).toHaveLength(1);
    },
  );

  it('is about the user in its key where no header names a subject', async () => {
    const { deliver, letters } = await open({ handle: refuse });
    const user = randomUUID();
    await deliver({ key: user }, { key: `wh_${user}` });
    expect(await letters()).toMatchObject([{ user_id: user }, { user_id: null }]);
  });
});

describe('dead letters', () => {
  it('are listed newest first, page by page, and shown with what was in them', async () => {
    const { ops, topic, consumer, deliver } = await open({ handle: refuse });
    const user = randomUUID();
    const headers = { ce_subject: user };
    await deliver(...numbers(1, 5).map((value) => ({ value: Buffer.from(value), headers })));

    const first = await ops.list({ topic }, { limit: 3 });
    const second = await ops.list({ topic }, { limit: 3, after: first.next ?? '' });
    const offsets = [...first.items, ...second.items].map(({ offset }) => offset);
    expect(offsets).toEqual([4n, 3n, 2n, 1n, 0n]);
    expect(second.next).toBeUndefined();

    expect(await ops.show(first.items[0]?.id ?? '')).toMatchObject({
      consumer,
      topic,
      key: 'k',
      userId: user,
      reason: { code: 'refused' },
      state: 'open',
      headers,
      payload: Buffer.from('5'),
    });
    await expect(ops.show(randomUUID())).rejects.toMatchObject({ kind: 'not_found' });
  });

  it.each(['consumer', 'topic', 'reason', 'userId'] as const)('are found by %s', async (field) => {
    const { ops, topic, consumer, deliver } = await open({ handle: refuse });
    const userId = randomUUID();
    const headers = { ce_subject: userId };
    await deliver({ headers });
    const fitting = { consumer, topic, reason: 'refused', userId };

    const found = await ops.list({ topic, [field]: fitting[field] }, { limit: 9 });
    expect(found.items).toHaveLength(1);
    const none = await ops.list({ topic, [field]: randomUUID() }, { limit: 9 });
    expect(none.items).toEqual([]);
  });
});

describe('a redrive', () => {
  it('handles a record as if it had just come, once', async () => {
    const { ops, deliver, effects, mend, open: ids } = withLetters(await open());
    await deliver('a', 'bad', 'c');
    const [id = ''] = await ids();

    expect(await ops.redrive({ ids: [id] }, { by })).toEqual({
      results: [{ id, outcome: 'failed', reason: { code: 'refused', text: 'It is refused.' } }],
      more: false,
    });
    expect(await ops.show(id)).toMatchObject({ redrives: 1, state: 'open' });
    mend();
    expect(await outcomes(ops.redrive({ ids: [id] }, { by }))).toEqual(['redriven']);
    expect(await outcomes(ops.redrive({ ids: [id, randomUUID()] }, { by }))).toEqual([
      'resolved',
      'not_found',
    ]);
    expect(await effects()).toEqual(['a', 'c', 'bad']);
    expect(await ops.show(id)).toMatchObject({ state: 'redriven', resolvedBy: by });
  });

  it('comes after the records that followed, and once when two operators request it', async () => {
    const {
      ops,
      deliver,
      effects,
      mend,
      open: ids,
    } = withLetters(await open({ dropDuplicates: true }));
    await deliver(sequenced('1', 1), sequenced('bad', 2), sequenced('3', 3), sequenced('bad', 2));
    expect(await effects()).toEqual(['1', '3']);
    const letters = await ids();
    expect(letters).toHaveLength(1);
    mend();
    const both = await Promise.all(
      [1, 2].map(() => outcomes(ops.redrive({ ids: letters }, { by }))),
    );
    expect(both.flat().sort()).toEqual(['redriven', 'resolved']);
    expect(await effects()).toEqual(['1', '3', 'bad']);
  });

  it('changes nothing when the infrastructure fails', async () => {
    let isDown = false;
    const inbox: Inbox = await open({
      handle: async (records, tx) => {
        await inbox.store(records, tx);
        if (isDown) throw new AppError('service_unavailable', 'Auth is away.');
        await refuse();
      },
    });
    const { ops, deliver, effects, open: ids } = withLetters(inbox);
    await deliver('bad');
    isDown = true;
    const [id = ''] = await ids();
    await expect(ops.redrive({ ids: [id] }, { by })).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await ops.show(id)).toMatchObject({ state: 'open', redrives: 0 });
    expect(await effects()).toEqual([]);
  });

  it('calls back after its commit, and takes all letters that match a filter', async () => {
    const committed: string[] = [];
    const inbox: Inbox = await open({
      handle: async (records, tx) => {
        await inbox.refuseBad(records, tx);
        return () => void committed.push(...records.map(text));
      },
    });
    await inbox.deliver('bad 1', 'bad 2');
    inbox.mend();
    const { topic, ops } = inbox;
    const { results, more } = await ops.redrive({ filter: { topic, reason: 'refused' } }, { by });
    expect(results.map(({ outcome }) => outcome)).toEqual(['redriven', 'redriven']);
    expect([more, committed]).toEqual([false, ['bad 1', 'bad 2']]);
  });

  it('is refused in a process without the handler', async () => {
    const { deliver, open: ids } = withLetters(await open({ handle: refuse }));
    await deliver('x');
    const elsewhere = { pool: database().pool, topicPrefix: '', consumers: [], log: silentLog };
    const [id = ''] = await ids();
    const asked = redriveDeadLetter(elsewhere, id, { by });
    await expect(asked).rejects.toMatchObject({ code: 'consumer_unknown' });
  });
});

describe('a drop', () => {
  it('is kept with its operator and the reason', async () => {
    const { ops, deliver, open: ids } = withLetters(await open({ handle: refuse }));
    await deliver('x');
    const [dropped = ''] = await ids();
    const drop = (id: string, note: string) => outcomes(ops.drop({ ids: [id] }, { by, note }));
    expect(await drop(dropped, 'a test of ours')).toEqual(['dropped']);
    expect(await drop(dropped, 'again')).toEqual(['resolved']);
    expect(await drop(randomUUID(), 'again')).toEqual(['not_found']);
    expect(await ops.show(dropped)).toMatchObject({
      state: 'discarded',
      resolvedBy: by,
      note: 'a test of ours',
    });
  });

  it('leaves letters open that its filter does not match', async () => {
    const { topic, ops, deliver, open: ids } = withLetters(await open({ handle: refuse }));
    const userId = randomUUID();
    const headers = { ce_subject: userId };
    await deliver({ headers }, { headers }, 'another one');
    const dropped = await ops.drop({ filter: { topic, userId } }, { by, note: 'gone for good' });
    expect(dropped).toMatchObject({
      results: [{ outcome: 'dropped' }, { outcome: 'dropped' }],
      more: false,
    });
    expect(await ids()).toHaveLength(1);
  });
});

it('the deletion of a user deletes the letters about the user, open or not, and nobody else’s', async () => {
  const { topic, ops, deliver, open: ids } = withLetters(await open({ handle: refuse }));
  const [user, other] = [randomUUID(), randomUUID()];
  const about = (userId: string) => ({ headers: { ce_subject: userId } });
  await deliver(about(user), about(user), about(other));
  await ops.drop({ ids: (await ids()).slice(-1) }, { by, note: 'not needed' });

  const deleted = await inTransaction(database().pool, (tx) => deleteDeadLetters(tx, user));
  expect(deleted).toBe(2);
  expect((await ops.list({ topic }, { limit: 9 })).items).toMatchObject([{ userId: other }]);
});

/** Adds a function that returns the ids of the inbox's open letters, newest first. */
const withLetters = (inbox: Inbox) => ({
  ...inbox,
  open: async (): Promise<readonly string[]> =>
    (await inbox.ops.list({ topic: inbox.topic }, { limit: 200 })).items.map(({ id }) => id),
});

const outcomes = async (some: Promise<Some<{ readonly outcome: string }>>) =>
  (await some).results.map(({ outcome }) => outcome);

const sequenced = (value: string, n: number) => ({
  value: Buffer.from(value),
  headers: { ce_sequence: `${n}` },
});
