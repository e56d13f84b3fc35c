import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Job } from '../job.js';
import { type DueReaderOptions, startDueReader } from './due-reader.js';
import type { DueInTurns, DueOf, DueWork } from './due-work.js';
import { UNRESPONSIVE_JOBS_MAX } from './scheduler/limits.js';
import { NEW_PACE } from './scheduler/pace.js';
import { openQueue } from './scheduler/queues.js';
import { newState, type State } from './scheduler/state.js';
import { offerRead, step } from './scheduler/step.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('reading in turns', () => {
  it('hurries past webhooks that have nothing due, and rests when it is through', async () => {
    const passed = Array.from({ length: 20 }, (_, n) => turn(`w${n}`));
    const { reads, stop } = reading([...passed, turn(undefined)]);
    await jest.advanceTimersByTimeAsync(1_000);
    const inOnePass = passed.length + 1;
    expect(reads().slice(0, inOnePass + 1)).toEqual([
      undefined,
      ...passed.map(({ goOnAfter }) => goOnAfter),
    ]);
    expect(reads()).toHaveLength(inOnePass);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(reads().length).toBeGreaterThan(inOnePass);
    await stop();
  });

  it('begins again at once after a pass that brought something', async () => {
    const end = turn(undefined);
    const { reads, stop } = reading([turn('a', 1), end, turn('b', 1), end, turn('c'), end]);
    await jest.advanceTimersByTimeAsync(100);
    expect(reads()).toEqual([undefined, 'a', undefined, 'b', undefined, 'c']);
    await stop();
  });

  it('goes on to those behind webhooks that have no room', async () => {
    const { reads, stop } = reading([turn('a', 1), turn('b', 1), turn(undefined, 1)], {
      hasLease: false,
    });
    await jest.advanceTimersByTimeAsync(500);
    expect(reads()).toEqual([undefined, 'a', 'b']);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(reads()).toHaveLength(6);
    await stop();
  });
});

describe('reading with little room for webhooks that are not quick', () => {
  it('looks for what quick ones have, and once in a while for as much of all as there is room for', async () => {
    const { queries, readAllOf, stop } = withLittleRoom({ room: 7, quick: ['b', 'a'] });
    await jest.advanceTimersByTimeAsync(900);
    expect(queries).toEqual([['a', 'b'], { shards: [0], limit: 7 }]);
    expect(readAllOf).toEqual(['a', 'b']);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(queries).toHaveLength(4);
    await stop();
  });

  it('goes through quick ones a part at a time, and on at once while they bring something', async () => {
    const quick = Array.from({ length: 1_001 }, (_, n) => String(n).padStart(4, '0'));
    const { queries, stop } = withLittleRoom({ room: 2, quick, found: [{ jobs: [JOB], all: [] }] });
    await jest.advanceTimersByTimeAsync(0);
    const [first, second, third] = [0, 500, 1_000].map((from) => quick.slice(from, from + 500));
    const version = { shards: [], limit: 0 };
    expect(queries).toEqual([first, version, second, version]);
    await jest.advanceTimersByTimeAsync(900);
    expect(queries.slice(4)).toEqual([third, { shards: [0], limit: 1 }]);
    await stop();
  });
});

const turn = (goOnAfter: string | undefined, jobs = 0): DueInTurns => ({
  goOnAfter,
  jobs: Array.from({ length: jobs }, () => JOB),
});

const JOB: Job = {
  deliveryId: 'd',
  day: '2026-01-01',
  messageId: 'm',
  webhookId: 'w',
  webhookVersion: 1,
  userId: 'u',
  kind: 'draft.created',
  shard: 0,
  attempt: 1,
  unscheduled: 0,
  body: Buffer.alloc(0),
};

const BACKLOG: DueWork = {
  indexVersion: '1',
  freeShards: false,
  isBacklogged: true,
  soonestMs: undefined,
  jobs: [],
};

/**
 * Starts a reader before a backlog, and records where each of its turns went on. Without a lease, what it brings is
 * turned away.
 */
function reading(turns: readonly DueInTurns[], { hasLease = true } = {}) {
  const queries: (string | undefined)[] = [];
  const options: Partial<DueReaderOptions> = {
    readDue: async () => BACKLOG,
    async readInTurns(_, after) {
      queries.push(after);
      return turns[(queries.length - 1) % turns.length] ?? turn(undefined);
    },
  };
  const reader = started(newState(), options, { hasLease });
  return { reads: () => queries, stop: reader.stop };
}

/** Starts a reader, and records what it asks for. */
function withLittleRoom({
  room,
  quick,
  found = [],
}: {
  readonly room: number;
  readonly quick: readonly string[];
  readonly found?: readonly DueOf[];
}) {
  const queries: unknown[] = [];
  const readAllOf: string[] = [];
  const brought = [...found];
  const state = newState();
  state.queued.slow = UNRESPONSIVE_JOBS_MAX - room;
  for (const webhookId of quick) addQuick(state, webhookId);
  const reader = started(
    state,
    {
      async readDue({ shards, limit }) {
        queries.push({ shards, limit });
        return { ...BACKLOG, isBacklogged: false };
      },
      async readOf({ webhookIds }) {
        queries.push(webhookIds);
        return brought.shift() ?? { jobs: [], all: webhookIds };
      },
    },
    { onReadAllOf: (ids) => void readAllOf.push(...ids) },
  );
  return { queries, readAllOf, stop: reader.stop };
}

/** Adds a queue of a webhook that answers soon. */
function addQuick(state: State, webhookId: string): void {
  const moment = { nowMs: 0, epochOf: () => '1' };
  const queue = openQueue({ state, effects: [], ...moment }, { ...JOB, webhookId });
  if (queue !== undefined) queue.pace = { ...NEW_PACE, kind: 'responsive' };
}

function started(
  state: State,
  options: Partial<DueReaderOptions>,
  { hasLease = true, onReadAllOf = (_ids: readonly string[]) => {} } = {},
) {
  const moment = { nowMs: 0, epochOf: () => (hasLease ? '1' : undefined) };
  const nothing = async () => {
    throw new Error('is not to be read');
  };
  const reader = startDueReader({
    readDue: nothing,
    readInTurns: nothing,
    readOf: nothing,
    readOrdered: async () => new Map(),
    changedWebhooks: async () => [],
    driver: {
      state,
      moment: () => moment,
      handle(input) {
        if (input.kind === 'readAllOf') onReadAllOf(input.webhookIds);
        step(state, [input], moment);
      },
      offerRead: (jobs) => offerRead(state, jobs, moment).turnedAway,
    },
    owned: () => [0],
    onFreeShards() {},
    onError(error) {
      throw error;
    },
    ...options,
  });
  return {
    async stop() {
      const stopped = reader.stop();
      await jest.advanceTimersByTimeAsync(1_000);
      await stopped;
    },
  };
}
