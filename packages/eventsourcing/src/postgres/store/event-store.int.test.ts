import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually, useDatabase } from '@junction/testing';
import fc from 'fast-check';
import { play, programs } from '../../../test/contract/append-program.js';
import { eventStoreContract } from '../../../test/contract/event-store-contract.js';
import {
  begins as append,
  counterStore,
  eventStoreDatabase,
  newCounter,
  untilBlockedBy,
} from '../../../test/counters.js';
import { type Appended, type BatchingEventStore, StreamMovedError } from '../../index.js';
import { type Counted, counted } from '../../testing.js';
import type { Publish } from '../outbox/outbox.js';
import { inTransaction } from '../transaction.js';

const database = useDatabase(eventStoreDatabase);

describe('the event store on Postgres', () => {
  eventStoreContract({ open: openStore, runs: 20 });

  it('counts the records of each stream without a gap, whatever was appended', async () => {
    const streams: string[] = [];
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        const publish: Publish<Counted> = ({ type, data }, { streamId }) =>
          data.n % 3 === 0
            ? undefined
            : { topic: 't', key: streamId, type, payload: Buffer.from('{}'), sequenced: true };
        streams.push(...(await play(openStore({ publish }), program)).streamIds);
      }),
      { numRuns: 10 },
    );
    const { rows } = await database().pool.query<{ counted: string; published: string }>(
      `select stream_id, published,
              coalesce(array_agg((headers->>'ce_sequence')::bigint order by id)
                         filter (where id is not null), '{}')::text as counted
         from streams left join outbox on aggregateid = stream_id
        where stream_id = any($1) group by 1, 2`,
      [streams],
    );
    for (const { counted, published } of rows) {
      const all = Array.from({ length: Number(published) }, (_, index) => index + 1);
      expect(counted).toBe(`{${all.join(',')}}`);
    }
    expect(rows.some(({ published }) => Number(published) > 1)).toBe(true);
  });
});

describe('the event store on Postgres, appending batches of one', () => {
  const open = () => {
    const store = openStore();
    return {
      ...store,
      async append(...[appends, context = {}]: Parameters<typeof store.append>) {
        const [appended] = await store.appendMany([{ appends, context }]);
        if (!appended) throw new Error('An append was not answered.');
        return appended;
      },
    };
  };
  eventStoreContract({ open, runs: 5 });
});

describe('the event store on Postgres, within a transaction for each append', () => {
  const within =
    <Args extends unknown[], Result>(
      use: (store: BatchingEventStore<Counted>, ...args: Args) => Promise<Result>,
    ) =>
    (...args: Args) =>
      inTransaction(database().pool, (tx) => use(openStore().within(tx), ...args));
  const open = (): BatchingEventStore<Counted> => ({
    load: within((store, streamId: string) => store.load(streamId)),
    loadMany: within((store, streamIds: readonly string[]) => store.loadMany(streamIds)),
    recall: within((store, commandId: string, streams: readonly string[]) =>
      store.recall(commandId, streams),
    ),
    append: within((store, ...args: Parameters<BatchingEventStore<Counted>['append']>) =>
      store.append(...args),
    ),
    appendMany: within((store, ...args: Parameters<BatchingEventStore<Counted>['appendMany']>) =>
      store.appendMany(...args),
    ),
  });
  eventStoreContract({ open, runs: 5 });
});

it('appends to several streams do not deadlock when they name the streams in opposite orders', async () => {
  const [one, two] = [newCounter(), newCounter()];
  const to = (streamId: string) => ({ streamId, expected: 'any', events: [counted(1)] }) as const;
  // Separate transactions, in which the store retries nothing.
  const append = (n: number) =>
    inTransaction(database().pool, (tx) =>
      openStore()
        .within(tx)
        .append(n % 2 === 0 ? [to(one), to(two)] : [to(two), to(one)]),
    );

  await Promise.all(Array.from({ length: 60 }, (_, n) => append(n)));
  expect(await openStore().load(one)).toMatchObject({ version: 60 });
  expect(await openStore().load(two)).toMatchObject({ version: 60 });
});

describe('a repeated command', () => {
  it('waits for the first one that is still in flight, and answers with its events', async () => {
    const [streamId, commandId] = [newCounter(), randomUUID()];
    const once = append(streamId, 1);
    const { first, repeat } = await inTransaction(database().pool, async (tx) => {
      const first = await openStore().within(tx).append([once], { commandId });
      const repeat = openStore().append([once], { commandId });
      await untilBlockedBy(tx);
      // The promise is wrapped in an object: the transaction would otherwise wait for the repeat that waits for it.
      return { first, repeat };
    });

    expect(await repeat).toEqual({ ...first, repeated: true });
    expect(await openStore().load(streamId)).toMatchObject({ version: 1 });
  });

  it('is stored when the first one in flight comes to nothing', async () => {
    const [streamId, commandId] = [newCounter(), randomUUID()];
    const once = append(streamId, 1);
    let repeat: Promise<{ repeated: boolean }> | undefined;
    const first = inTransaction(database().pool, async (tx) => {
      await openStore().within(tx).append([once], { commandId });
      repeat = openStore().append([once], { commandId });
      await untilBlockedBy(tx);
      throw new Error('changed my mind');
    });

    await expect(first).rejects.toThrow('changed my mind');
    expect(await repeat).toMatchObject({ repeated: false });
    expect(await openStore().load(streamId)).toMatchObject({ version: 1 });
  });
});

describe('a batch of appends', () => {
  it('has a bound', async () => {
    const streamId = newCounter();
    const batch = Array.from({ length: 1_001 }, () => ({ appends: [append(streamId, 1)] }));
    await expect(openStore().appendMany(batch)).rejects.toThrow(RangeError);
    expect(await openStore().appendMany([])).toEqual([]);
  });

  it('stores commands once, without a deadlock, when another batch names them in the opposite order', async () => {
    const [low, middle, high] = [0, 1, 2].map((n) => {
      return { appends: [append(newCounter(), n)], context: { commandId: uuidThatSorts(n) } };
    });
    if (!low || !middle || !high) throw new Error('no batch');
    // Separate transactions, in which the store retries nothing.
    const appendAll = (batch: readonly (typeof low)[]) =>
      inTransaction(database().pool, (tx) => openStore().within(tx).appendMany(batch));

    let both: Promise<readonly (readonly Appended<Counted>[])[]> | undefined;
    const inBetween = inTransaction(database().pool, async (tx) => {
      await openStore().within(tx).append(middle.appends, middle.context);
      both = Promise.all([appendAll([low, middle, high]), appendAll([high, middle, low])]);
      await untilBlocked(2);
      throw new Error('changed my mind');
    });
    await expect(inBetween).rejects.toThrow('changed my mind');

    const results = (await both)?.flat() ?? [];
    expect(results.filter(({ repeated }) => !repeated)).toHaveLength(3);
  });
});

it('an append in a transaction of the caller is committed or rolled back with it', async () => {
  const streamId = newCounter();
  const given = inTransaction(database().pool, async (tx) => {
    await openStore()
      .within(tx)
      .append([append(streamId, 1)]);
    expect(await openStore().within(tx).load(streamId)).toMatchObject({ version: 1 });
    throw new Error('changed my mind');
  });

  await expect(given).rejects.toThrow('changed my mind');
  expect(await openStore().load(streamId)).toMatchObject({ version: 0 });
});

describe('an append with rows of the caller', () => {
  it('commits both or neither', async () => {
    await database().pool.query('create table if not exists notes (text text primary key)');
    const note = (text: string) =>
      inTransaction(database().pool, async (tx) => {
        const { events } = await openStore()
          .within(tx)
          .append([append(newCounter(), 1)]);
        await tx.query('insert into notes values ($1)', [text]);
        return events.length;
      });

    expect(await note('once')).toBe(1);
    await expect(note('once')).rejects.toMatchObject({ code: '23505' });
    const { rows } = await database().pool.query('select text from notes');
    expect(rows).toEqual([{ text: 'once' }]);
  });

  it('is not committed when the caller hid a failed statement', async () => {
    const streamId = newCounter();
    const hidden = inTransaction(database().pool, async (tx) => {
      await openStore()
        .within(tx)
        .append([append(streamId, 1)]);
      await tx.query('select 1 / 0').catch(() => {});
    });
    await expect(hidden).rejects.toThrow('rolled the transaction back');
    expect(await openStore().load(streamId)).toMatchObject({ version: 0 });
  });
});

it('wakes the relay after each commit, and not after a refusal', async () => {
  let wakings = 0;
  const store = openStore({ afterCommit: () => wakings++ });
  const streamId = newCounter();
  await store.append([append(streamId, 1)]);
  await expect(store.append([append(streamId, 1)])).rejects.toThrow(StreamMovedError);
  expect(wakings).toBe(1);
});

function openStore(options?: Parameters<typeof counterStore>[1]) {
  return counterStore(database().pool, options);
}

/** Polls until so many backends wait for a lock in this database. */
async function untilBlocked(count: number): Promise<void> {
  await eventually(async () => {
    const { rowCount } = await database().pool.query(
      `select from pg_stat_activity
        where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
    );
    expect(rowCount).toBe(count);
  });
}

const uuidThatSorts = (n: number): string => `${n}${randomUUID().slice(1)}`;
