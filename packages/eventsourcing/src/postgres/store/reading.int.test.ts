import { randomUUID } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { eventually, useDatabase } from '@junction/testing';
import fc from 'fast-check';
import type pg from 'pg';
import { Pool } from 'pg';
import { counterStore, counts, newCounter } from '../../../test/counters.js';
import { type Counted, countedCodec } from '../../testing.js';
import { eventStoreMigrations } from '../migrations/index.js';
import { migrate } from '../migrations/migrate.js';
import { postgresNotifier } from '../notifier.js';
import { inTransaction } from '../transaction.js';
import { postgresEventStore } from './event-store.js';
import { EVENTS_APPENDED, type FollowOptions, follow } from './follow.js';
import { BEGINNING, type Position, readAll, readPage } from './read-all.js';
import { readerFenceAge } from './reader-fence.js';
import type { StoredEvent } from './stored-event.js';

const database = useDatabase({
  template: 'eventsourcing',
  migrate: (url) => migrate(url, eventStoreMigrations),
});

/** Interval longer than any test, so that events arrive by notification alone. */
const NEVER_MS = 3_600_000;

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

describe('a reader of all events', () => {
  it('sees every event once, and each stream in its order, however transactions overlap', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 40 }), async (steps) => {
        const streams = Array.from({ length: STREAMS }, newCounter);
        const reader = newReader(streams);
        const committed = await play(steps, streams, reader);

        await eventually(async () => {
          await reader.readOn();
          expect(reader.seen()).toHaveLength(committed);
        });
        expect(new Set(reader.seen()).size).toBe(committed);
        for (const stream of streams) {
          const ours = reader.seen().filter((one) => one.startsWith(stream));
          expect(ours).toEqual(ours.map((_, index) => `${stream} ${index + 1}`));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('reads no more than its limit', async () => {
    const stream = newCounter();
    await counterStore(database().pool).append([counts(stream, 3)]);
    await eventually(async () => {
      const all = await readAll(database().pool, BEGINNING, 10_000);
      expect(all.filter(({ streamId }) => streamId === stream)).toHaveLength(3);
    });
    expect(await readAll(database().pool, BEGINNING, 2)).toHaveLength(2);
    await expect(readAll(database().pool, BEGINNING, 10_001)).rejects.toThrow(RangeError);
  });
});

describe('the gap test: a follower', () => {
  it('skips nothing while a transaction is held open and later ones commit', async () => {
    const node = process();
    const [slow, fast] = [newCounter(), newCounter()];
    const follower = await node.follow({ lookEveryMs: 50 });
    await inTransaction(node.pool, async (tx) => {
      await node
        .store()
        .within(tx)
        .append([counts(slow)]);
      await node.store().append([counts(fast)]);
      await node.store().append([counts(fast)]);
      await follower.looksAgain();
      expect(follower.seen()).toEqual([]);
    });
    await eventually(() =>
      expect(follower.seen()).toEqual([`${slow} 1`, `${fast} 1`, `${fast} 2`]),
    );
  });

  it('keeps the order of a stream when a transaction writes before it appends', async () => {
    const node = process();
    const stream = newCounter();
    const follower = await node.follow({ lookEveryMs: 50 });
    await inTransaction(node.pool, async (tx) => {
      await tx.query('select pg_current_xact_id()');
      await node.store().append([counts(stream)]);
      await node
        .store()
        .within(tx)
        .append([counts(stream)]);
      await follower.looksAgain();
      expect(follower.seen()).toEqual([]);
    });
    await eventually(() => expect(follower.seen()).toEqual([`${stream} 1`, `${stream} 2`]));
  });

  it('reads on by itself when the one that held it up appended nothing', async () => {
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

describe('the age of the fence', () => {
  it('is that of the oldest transaction that writes', async () => {
    const age = readerFenceAge(database().pool);
    await inTransaction(database().pool, async (tx) => {
      await tx.query('select pg_current_xact_id()');
      await database().pool.query('select pg_current_xact_id()');
      // Another database of the cluster may have an older one.
      for (let n = 0; n < 2; n++) {
        const { rows } = await tx.query<{ s: number }>(
          'select extract(epoch from clock_timestamp() - now())::float8 as s',
        );
        expect(await age()).toBeGreaterThanOrEqual(rows[0]?.s ?? Number.NaN);
      }
    });
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
      postgresEventStore<Counted>({
        pool,
        codec: countedCodec,
        source: 'junction/test',
        afterCommit,
      }),
    async follow(given: Partial<FollowOptions>) {
      const from = given.from ?? (await end());
      return startFollower(options({ ...given, from }));
    },
  };
}

/** Starts a follower that records the events it gets, until the test is over. */
function startFollower(options: FollowOptions) {
  const batches: (readonly StoredEvent[])[] = [];
  let looks = 0;
  const db: FollowOptions['db'] = {
    async query(config) {
      const result = await options.db.query<never>(config);
      looks++;
      return result;
    },
  };
  const off = new AbortController();
  const following = follow({ ...options, db, signal: off.signal }, async (events) => {
    batches.push(events);
  });
  open.push(() => {
    off.abort();
    return following;
  });
  return {
    seen: () => batches.flat().map(({ streamId, version }) => `${streamId} ${version}`),
    batches: () => batches.map(({ length }) => length),
    /** Resolves after a look that began after this was called. */
    async looksAgain() {
      const before = looks;
      await eventually(() => expect(looks).toBeGreaterThan(before + 1));
    },
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

const TRANSACTIONS = 3;
const STREAMS = 3;

type Step =
  | { readonly kind: 'write' | 'commit' | 'rollback'; readonly who: number }
  | { readonly kind: 'append'; readonly who: number; readonly stream: number }
  | { readonly kind: 'read' };

const who = fc.integer({ min: 0, max: TRANSACTIONS - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('write', 'commit', 'commit', 'rollback'), who }),
  fc.record({
    kind: fc.constant('append'),
    who,
    stream: fc.integer({ min: 0, max: STREAMS - 1 }),
  }),
  fc.record({ kind: fc.constant('read') }),
);

/** Plays the steps in transactions that overlap, and returns how many events were committed. */
async function play(
  steps: readonly Step[],
  streams: readonly string[],
  reader: Reader,
): Promise<number> {
  const players = await Promise.all(
    Array.from({ length: TRANSACTIONS }, async () => new Player(await database().pool.connect())),
  );
  try {
    for (const one of steps) {
      if (one.kind === 'read') await reader.readOn();
      else await players[one.who]?.play(one, streams, players);
    }
    for (const player of players) await player.end('commit');
    return players.reduce((sum, { committed }) => sum + committed, 0);
  } finally {
    for (const player of players) player.client.release();
  }
}

class Player {
  committed = 0;
  readonly held = new Set<number>();
  #isOpen = false;
  #appended = 0;

  constructor(readonly client: pg.PoolClient) {}

  async play(
    step: Exclude<Step, { kind: 'read' }>,
    streams: readonly string[],
    players: readonly Player[],
  ): Promise<void> {
    if (step.kind === 'commit' || step.kind === 'rollback') return this.end(step.kind);
    if (!this.#isOpen) await this.client.query('begin');
    this.#isOpen = true;
    if (step.kind !== 'append') {
      await this.client.query('select pg_current_xact_id()');
      return;
    }
    // The steps are played one after the other: waiting for a lock would be waiting for ever.
    const isTaken = players.some((other) => other !== this && other.held.has(step.stream));
    const streamId = streams[step.stream];
    if (isTaken || streamId === undefined) return;
    await counterStore(database().pool)
      .within(this.client)
      .append([counts(streamId)]);
    this.held.add(step.stream);
    this.#appended++;
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    if (this.#isOpen) await this.client.query(how);
    if (how === 'commit') this.committed += this.#appended;
    this.#isOpen = false;
    this.#appended = 0;
    this.held.clear();
  }
}

interface Reader {
  readOn(): Promise<void>;
  seen(): readonly string[];
}

/** Reads on from where it stopped, as a projection does, and records the events of some streams. */
function newReader(streams: readonly string[]): Reader {
  const noted: string[] = [];
  let position: Position = BEGINNING;
  const note = ({ streamId, version }: StoredEvent) => {
    if (streams.includes(streamId)) noted.push(`${streamId} ${version}`);
  };
  return {
    async readOn() {
      const events = await readAll(database().pool, position, 1_000);
      for (const event of events) note(event);
      position = events.at(-1) ?? position;
    },
    seen: () => noted,
  };
}
