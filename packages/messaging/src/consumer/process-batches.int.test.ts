import { describe, expect, it } from '@jest/globals';
import { AppError } from '@junction/errors';
import { statement, texts } from '@junction/eventsourcing/postgres';
import { numbers, text } from '../../test/consumer-stage.js';
import { type Inbox, useInboxes } from '../../test/inbox.js';
import type { Handle, HandleAtOnce } from './handle.js';
import { MOVE_OFFSETS, OffsetMovedError } from './offsets.js';
import { RecordError } from './record-error.js';

const { database, open } = useInboxes();

describe('batches of several partitions', () => {
  it('take effect in one transaction', async () => {
    const { process, effects, transactions, offsets } = await open();
    const results = await process(['a', 'b'], ['c'], ['d']);
    expect(results).toMatchObject([ok(2), ok(1), ok(1)]);
    expect(await effects()).toEqual(['a', 'b', 'c', 'd']);
    expect(await transactions()).toHaveLength(1);
    expect(await offsets()).toEqual(['2', '1', '1']);
  });

  it('lose a bad record alone, and report it for its partition', async () => {
    const { process, effects, offsets } = await open();
    const results = await process(['a'], ['bad', 'c'], ['d']);
    expect(results).toMatchObject([
      { value: { deadLetters: [] } },
      { value: { count: 2, deadLetters: [{ partition: 1, offset: 0n }] } },
      { value: { deadLetters: [] } },
    ]);
    expect(await effects()).toEqual(['a', 'c', 'd']);
    expect(await offsets()).toEqual(['1', '2', '1']);
  });

  it('lose the records that the handler sets aside, and are handled once', async () => {
    const handled: string[][] = [];
    const inbox: Inbox = await open({
      handle: async (records, tx, setAside) => {
        handled.push(records.map(text));
        const isValid = (value: string) => !value.startsWith('invalid');
        for (const record of records.filter((each) => !isValid(text(each)))) {
          setAside(record, new RecordError('invalid', `It is ${text(record)}.`));
        }
        await inbox.store(
          records.filter((each) => isValid(text(each))),
          tx,
        );
      },
    });
    const results = await inbox.process(['a', 'invalid 1'], ['invalid 2', 'c']);
    expect(results).toMatchObject([
      { value: { count: 2, deadLetters: [{ partition: 0, offset: 1n }] } },
      { value: { count: 2, deadLetters: [{ partition: 1, offset: 0n }] } },
    ]);
    expect(handled).toEqual([['a', 'invalid 1', 'invalid 2', 'c']]);
    expect(await inbox.effects()).toEqual(['a', 'c']);
    expect(await inbox.letters()).toMatchObject([
      { reason_code: 'invalid', reason_text: 'It is invalid 1.', payload: 'invalid 1' },
      { reason_code: 'invalid', reason_text: 'It is invalid 2.', payload: 'invalid 2' },
    ]);
    expect(await inbox.notices()).toHaveLength(2);
    // Rows that one statement has inserted have the same xmin and cmin.
    const { rows } = await database().pool.query(
      `select xmin::text, cmin::text from dead_letters where consumer = $1
        union select xmin::text, cmin::text from outbox where aggregatetype = $2`,
      [inbox.consumer, `${inbox.topic}.dlq`],
    );
    expect(rows).toHaveLength(1);
  });

  it('leave a partition that another member has taken, and take the others', async () => {
    const { process, effects, offsets, moveOffset } = await open();
    await moveOffset(1, 7);
    const results = await process(['a'], ['b'], ['c']);
    expect(results).toMatchObject([ok(1), { reason: expect.any(OffsetMovedError) }, ok(1)]);
    expect(await effects()).toEqual(['a', 'c']);
    expect(await offsets()).toEqual(['1', '7', '1']);
  });

  it('have no effect when the infrastructure fails', async () => {
    const inbox: Inbox = await open({ handle: awayAt('away', (...args) => inbox.store(...args)) });
    const results = await inbox.process(['a'], ['away']);
    expect(results).toMatchObject([
      { reason: { code: 'service_unavailable' } },
      { reason: { code: 'service_unavailable' } },
    ]);
    expect(await inbox.effects()).toEqual([]);
    expect(await inbox.offsets()).toEqual(['0', '0', '0']);
  });
});

describe('batches that are handled at once', () => {
  it('take effect with their offsets, without a transaction of several statements', async () => {
    const { process, effects, offsets } = await open({ handle: neverHandled, handleAtOnce });
    expect(await process(['a', 'b'], ['c'])).toMatchObject([ok(2), ok(1)]);
    expect(await effects()).toEqual(['a', 'b', 'c']);
    expect(await offsets()).toEqual(['2', '1', '0']);
  });

  it('leave a partition that another member has taken, and take the others', async () => {
    const { process, effects, offsets, moveOffset } = await open({ handleAtOnce });
    await moveOffset(1, 7);
    const results = await process(['a'], ['b'], ['c']);
    expect(results).toMatchObject([ok(1), { reason: expect.any(OffsetMovedError) }, ok(1)]);
    expect(await effects()).toEqual(['a', 'c']);
    expect(await offsets()).toEqual(['1', '7', '1']);
  });

  it('take effect in a transaction when the handler declines', async () => {
    const { process, effects, letters } = await open({ handleAtOnce: () => undefined });
    expect(await process(['a', 'bad'])).toMatchObject([ok(2)]);
    expect(await effects()).toEqual(['a']);
    expect(await letters()).toMatchObject([{ payload: 'bad' }]);
  });

  it('are not tried again in a transaction when the infrastructure fails', async () => {
    const fails: HandleAtOnce = async () => {
      throw away();
    };
    const { process } = await open({ handle: neverHandled, handleAtOnce: fails });
    expect(await process(['a'])).toMatchObject([{ reason: { code: 'service_unavailable' } }]);
  });

  const neverHandled: Handle = async () => {
    throw new Error('The handler was called.');
  };
  const effectsAtOnce = statement(`
    with moved as (${MOVE_OFFSETS} returning 1)
    insert into effects (consumer, value)
    select :consumer, value from unnest(:values::text[]) as value
     where case when (select count(*) from moved) = cardinality(:partitions::int[]) then true
                else refuse_batch() end`);
  const handleAtOnce: HandleAtOnce = async (records, db, moves) => {
    await effectsAtOnce(db, { ...moves, values: texts(records.map(text)) });
    return () => undefined;
  };
});

describe('records that are handled individually', () => {
  it('are not blamed for a failure of the infrastructure either', async () => {
    let outages = 4;
    const inbox: Inbox = await open({
      handle: async (records, tx) => {
        if (records.length === 1 && text(records[0]) === 'unlucky' && outages-- > 0) throw away();
        await inbox.refuseBad(records, tx);
      },
    });
    await inbox.deliver('bad', 'unlucky', 'c');
    expect(await inbox.effects()).toEqual(['unlucky', 'c']);
    expect(await inbox.letters()).toMatchObject([{ payload: 'bad' }]);
  });

  it('are committed in parts when they take long, and still have one effect each', async () => {
    const committed: string[] = [];
    const inbox: Inbox = await open({
      handle: async (records, tx) => {
        await inbox.refuseBad(records, tx);
        await tx.query('select pg_sleep(0.04)');
        return () => void committed.push(...records.map(text));
      },
    });
    await inbox.deliver(...numbers(1, 8), 'bad', ...numbers(9, 16));
    expect(await inbox.effects()).toEqual(numbers(1, 16));
    expect((await inbox.transactions()).length).toBeGreaterThan(1);
    expect(await inbox.offsets()).toEqual(['17', '0', '0']);
    expect(committed).toEqual(numbers(1, 16));
    expect(await inbox.letters()).toHaveLength(1);
  });
});

const ok = (count: number) => ({ status: 'fulfilled', value: { count } });

const away = () => new AppError('service_unavailable', 'Auth is away.');

const awayAt =
  (value: string, store: Inbox['store']): Handle =>
  async (records, tx) => {
    await store(records, tx);
    if (records.some((record) => text(record) === value)) throw away();
  };
