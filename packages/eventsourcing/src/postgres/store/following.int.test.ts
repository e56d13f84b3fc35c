import { randomUUID } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventually, useDatabase } from '@junction/testing';
import { Pool } from 'pg';
import { counterStore, counts, eventStoreDatabase, newCounter } from '../../../test/counters.js';
import { postgresNotifier } from '../notifier.js';
import { inTransaction } from '../transaction.js';
import { EVENTS_APPENDED, type FollowOptions, follow } from './follow.js';
import { BEGINNING, type Position, readPage } from './read-all.js';
import type { StoredEvent } from './stored-event.js';

const database = useDatabase(eventStoreDatabase);

/** Interval longer than any test, so that events arrive by notification alone. */
const NEVER_MS = 3_600_000;

const open: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

it('the gap test: a follower reads on by itself when the one that held it up appended nothing', async () => {
  const node = process();
  const stream = newCounter();
  const follower = await node.follow({});
  await inTransaction(node.pool, async (tx) => {
    await tx.query('select pg_current_xact_id()');
    await node.store().append([counts(stream)]);
    expect(follower.seen()).toEqual([]);
  });
  await eventually(() => expect(follower.seen()).toEqual([`${stream} 1`]));
});

describe('a follower', () => {
  it('is woken by a commit in another process', async () => {
    const [ours, other] = [process(), process()];
    const stream = newCounter();
    const follower = await ours.follow({});
    await bothListen();
    for (let version = 1; version <= 3; version++) {
      await other.store().append([counts(stream)]);
      await eventually(() => expect(follower.seen()).toHaveLength(version));
    }
  });

  it('misses nothing while notifications cannot reach it', async () => {
    const [ours, other] = [process(), process()];
    const stream = newCounter();
    const follower = await ours.follow({});
    await bothListen();
    // Appended without a notification while the listening session is lost: the new session looks by itself.
    await other.store({ afterCommit: () => undefined }).append([counts(stream)]);
    expect(follower.seen()).toEqual([]);
    await endListening();
    await eventually(() => expect(follower.seen()).toEqual([`${stream} 1`]));
    expect(ours.errors.length).toBeGreaterThan(0);
  });

  it('keeps no listeners of lost sessions', async () => {
    const waiting = jest.spyOn(AbortSignal.prototype, 'addEventListener');
    const node = process();
    await eventually(async () => expect(await endListening()).toBe(1));
    await eventually(() => expect(node.errors).toHaveLength(1));
    await eventually(async () => expect(await endListening()).toBe(1));
    await eventually(() => expect(node.errors).toHaveLength(2));

    const signals = new Set(waiting.mock.contexts as AbortSignal[]);
    waiting.mockRestore();
    const listeners = [...signals].map((signal) => getEventListeners(signal, 'abort').length);
    // At most one listener: that of the current session, or of the pause before the next one.
    expect(Math.max(...listeners)).toBeLessThanOrEqual(1);
  });

  it('polls now and then', async () => {
    const node = process();
    const stream = newCounter();
    const follower = await node.follow({ lookEveryMs: 20 });
    await node.store({ afterCommit: () => undefined }).append([counts(stream)]);
    await eventually(() => expect(follower.seen()).toEqual([`${stream} 1`]));
  });

  it('gets only the events of its category, in batches it has room for', async () => {
    const node = process();
    const category = `c${randomUUID().replaceAll('-', '')}`;
    const [one, two] = [`${category}-1`, `${category}-2-x`];
    await node.store().append([counts(one), counts(newCounter()), counts(two)]);
    await node.store().append([counts(one), counts(`${category}x-1`)]);

    const follower = await node.follow({ category, batchMax: 2, from: BEGINNING });
    await eventually(() => expect(follower.seen()).toEqual([`${one} 1`, `${two} 1`, `${one} 2`]));
    expect(follower.batches()).toEqual([2, 1]);
  });

  it('resumes from the given position, after the handler failed', async () => {
    const node = process();
    const stream = newCounter();
    await node.store().append([counts(stream, 3)]);
    let last = await end();
    await node.store().append([counts(stream)]);
    const failing = follow(node.options({ from: last }), async () => {
      throw new Error('out of paper');
    });
    await expect(failing).rejects.toThrow('out of paper');

    const off = new AbortController();
    await follow(node.options({ from: last, signal: off.signal }), async (events) => {
      last = events.at(-1) ?? last;
      off.abort();
    });
    expect(last).toMatchObject({ streamId: stream, version: 4 });
  });

  it('goes on by itself after the database was away', async () => {
    const node = process();
    const stream = newCounter();
    let failures = 2;
    const db: FollowOptions['db'] = {
      async query(config) {
        if (failures-- > 0) throw Object.assign(new Error('gone'), { code: '57P01' });
        return node.pool.query(config);
      },
    };
    const follower = await node.follow({ db });
    await node.store().append([counts(stream)]);
    await eventually(() => expect(follower.seen()).toEqual([`${stream} 1`]));
    expect(node.errors).toHaveLength(2);
  });
});

/** Ends the sessions that listen for notifications, and returns how many there were. */
async function endListening(): Promise<number> {
  const { rowCount } = await database().pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'junction listener %'
        and query like 'listen %'`,
  );
  return rowCount ?? 0;
}

/** Builds the parts of a process: connections, notifier, followers. */
function process() {
  const pool = new Pool({ connectionString: database().url, max: 4, pipeline: true });
  pool.on('error', () => undefined);
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const notifier = postgresNotifier({ pool, onError });
  open.push(() => notifier.close().then(async () => pool.end()));

  const options = (given: Partial<FollowOptions>): FollowOptions => ({
    db: pool,
    notifier,
    from: BEGINNING,
    signal: new AbortController().signal,
    lookEveryMs: NEVER_MS,
    onError,
    ...given,
  });
  return {
    pool,
    errors,
    options,
    store: ({ afterCommit = () => notifier.notify(EVENTS_APPENDED) } = {}) =>
      counterStore(pool, { afterCommit }),
    async follow(given: Partial<FollowOptions>) {
      const from = given.from ?? (await end());
      return startFollower(options({ ...given, from }));
    },
  };
}

/** Starts a follower that records the events it gets, until the test is over. */
function startFollower(options: FollowOptions) {
  const batches: (readonly StoredEvent[])[] = [];
  const off = new AbortController();
  const following = follow({ ...options, signal: off.signal }, async (events) => {
    batches.push(events);
  });
  open.push(() => {
    off.abort();
    return following;
  });
  return {
    seen: () => batches.flat().map(({ streamId, version }) => `${streamId} ${version}`),
    batches: () => batches.map(({ length }) => length),
  };
}

/** Returns the position of the last event, once no transaction of another test holds it back. */
async function end(): Promise<Position> {
  return eventually(async () => {
    const { events, isHeldBack } = await readPage(database().pool, BEGINNING, 10_000, {});
    expect(isHeldBack).toBe(false);
    return events.at(-1) ?? BEGINNING;
  });
}

/** Waits until the sessions of two processes listen. */
async function bothListen(): Promise<void> {
  await eventually(async () => {
    const { rowCount } = await database().pool.query(
      `select from pg_stat_activity where datname = current_database() and state = 'idle'
          and application_name like 'junction listener %' and query like 'listen %'`,
    );
    expect(rowCount).toBe(2);
  });
}
