import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Dispatcher } from './dispatcher.js';
import { type DueInTurns, startDueReader } from './due-reader.js';
import type { Job } from './job.js';

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
    const { reads, stop } = reading([turn('a', 1), turn('b', 1), turn(undefined, 1)], 1);
    await jest.advanceTimersByTimeAsync(500);
    expect(reads()).toEqual([undefined, 'a', 'b']);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(reads()).toHaveLength(6);
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
  body: Buffer.alloc(0),
};

/** A reader before a crowd, and from where each of its turns went on. */
function reading(turns: readonly DueInTurns[], turnedAway = 0) {
  const asked: (string | undefined)[] = [];
  const dispatcher: Partial<Dispatcher> = {
    retryLoading() {},
    blocked: () => [],
    beginRead: () => [],
    room: () => 1,
    acceptDue: () => turnedAway,
    orderedWaiting: () => [],
  };
  const reader = startDueReader({
    read: async () => ({
      indexVersion: '1',
      freeShards: false,
      isCrowded: true,
      soonestMs: undefined,
      jobs: [],
    }),
    async readInTurns(_, after) {
      asked.push(after);
      return turns[(asked.length - 1) % turns.length] ?? turn(undefined);
    },
    readOrdered: async () => new Map(),
    changed: async () => [],
    dispatcher: dispatcher as Dispatcher,
    owned: () => [0],
    onFreeShards() {},
    onError(error) {
      throw error;
    },
  });
  return {
    reads: () => asked,
    async stop() {
      const stopped = reader.stop();
      await jest.advanceTimersByTimeAsync(1_000);
      await stopped;
    },
  };
}
