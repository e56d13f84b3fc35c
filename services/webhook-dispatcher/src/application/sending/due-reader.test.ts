import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Job } from '../job.js';
import { type DueReaderOptions, startDueReader } from './due-reader.js';
import type { DueQuery, DueWork } from './due-work.js';
import { UNRESPONSIVE_JOBS_MAX } from './scheduler/limits.js';
import { NEW_PACE } from './scheduler/pace.js';
import { openQueue } from './scheduler/queues.js';
import { newState, type State } from './scheduler/state.js';
import { offerRead, step } from './scheduler/step.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('reading what is due', () => {
  it('rests for no read while there are webhooks behind those that were read, and then until the next is due', async () => {
    const passed = Array.from({ length: 20 }, () => found({ isMore: true }));
    const { queries, stop } = reading([...passed, found({ soonestMs: 700 })]);
    await jest.advanceTimersByTimeAsync(0);
    expect(queries).toHaveLength(passed.length + 1);
    await jest.advanceTimersByTimeAsync(690);
    expect(queries).toHaveLength(passed.length + 1);
    await jest.advanceTimersByTimeAsync(20);
    expect(queries.length).toBeGreaterThan(passed.length + 1);
    await stop();
  });

  it('goes on with what it left of a webhook, for as long as that has room', async () => {
    const left = found({ jobs: [JOB], left: ['w'] });
    const { queries, stop } = reading([left, found({ all: ['w'] })]);
    await jest.advanceTimersByTimeAsync(0);
    expect(queries.map(({ webhookIds }) => webhookIds)).toEqual([[], ['w']]);
    await stop();
  });

  it('takes turns among webhooks that have left something, beside those whose time has come', async () => {
    const ids = Array.from({ length: 600 }, (_, n) => String(n).padStart(4, '0'));
    const { queries, stop } = reading([found({ left: ids })], { known: ids });
    await jest.advanceTimersByTimeAsync(1_000);
    const asked = queries.map(({ webhookIds }) => webhookIds);
    const parts = [ids.slice(0, 250), ids.slice(250, 500), ids.slice(500)];
    expect(asked).toEqual([[], ...parts]);
    expect(queries.every(({ shards, limit }) => shards.length === 1 && limit === 500)).toBe(true);
    await stop();
  });

  it('rests when all that it brings is turned away', async () => {
    const { queries, stop } = reading([found({ jobs: [JOB], left: ['w'] })], { hasLease: false });
    await jest.advanceTimersByTimeAsync(990);
    expect(queries).toHaveLength(1);
    await stop();
  });

  it('looks again at what was in hand of a shard that was lost and comes back', async () => {
    const { queries, looked, lose, stop } = reading([found({})]);
    await jest.advanceTimersByTimeAsync(1_500);
    expect(looked).toEqual([]);
    expect(queries[0]).toMatchObject({ shards: [0], epochs: ['1'] });
    lose(0);
    await jest.advanceTimersByTimeAsync(2_500);
    expect(looked).toEqual([[0]]);
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
    const { queries, stop } = withLittleRoom({ room: 2, quick, jobs: [[JOB]] });
    await jest.advanceTimersByTimeAsync(0);
    const [first, second, third] = [0, 500, 1_000].map((from) => quick.slice(from, from + 500));
    expect(queries).toEqual([first, second]);
    await jest.advanceTimersByTimeAsync(900);
    expect(queries.slice(2)).toEqual([third, { shards: [0], limit: 1 }]);
    await stop();
  });
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

const found = (parts: Partial<DueWork>): DueWork => ({
  indexVersion: '1',
  freeShards: false,
  isMore: false,
  soonestMs: undefined,
  jobs: [],
  all: [],
  left: [],
  ...parts,
});

/**
 * Starts a reader before a table that answers with one after the other, the last again and again, and records its
 * queries. `known`: webhooks that have a queue. Without a lease, what it brings is turned away.
 */
function reading(
  answers: readonly DueWork[],
  { hasLease = true, known = [] as readonly string[] } = {},
) {
  const queries: DueQuery[] = [];
  const looked: (readonly number[])[] = [];
  const state = newState();
  for (const webhookId of known) addQuick(state, webhookId);
  const options: Partial<DueReaderOptions> = {
    async readDue(query) {
      queries.push(query);
      return answers[Math.min(queries.length, answers.length) - 1] ?? found({});
    },
    lookAgain: async (shards) => void looked.push(shards),
  };
  return { queries, looked, ...started(state, options, { hasLease }) };
}

/** Starts a reader, and records what it asks for. */
function withLittleRoom({
  room,
  quick,
  jobs = [],
}: {
  readonly room: number;
  readonly quick: readonly string[];
  /** Jobs that each read of quick webhooks brings. */
  readonly jobs?: readonly (readonly Job[])[];
}) {
  const queries: unknown[] = [];
  const readAllOf: string[] = [];
  const brought = [...jobs];
  const state = newState();
  state.queued.slow = UNRESPONSIVE_JOBS_MAX - room;
  for (const webhookId of quick) addQuick(state, webhookId);
  const reader = started(
    state,
    {
      async readDue({ shards, webhookIds, limit }) {
        if (shards.length > 0) {
          queries.push({ shards, limit });
          return found({});
        }
        queries.push(webhookIds);
        const [first] = brought.splice(0, 1);
        return found(first === undefined ? { all: webhookIds } : { jobs: first });
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
    lookAgain: async () => {},
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
    lose: reader.shardLost,
    async stop() {
      const stopped = reader.stop();
      await jest.advanceTimersByTimeAsync(1_000);
      await stopped;
    },
  };
}
