import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Dispatcher } from './dispatcher.js';
import { type DueInTurns, startDueReader } from './due-reader.js';

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
});

const turn = (goOnAfter: string | undefined): DueInTurns => ({ goOnAfter, jobs: [] });

/** A reader before a crowd, and from where each of its turns went on. */
function reading(turns: readonly DueInTurns[]) {
  const asked: (string | undefined)[] = [];
  const dispatcher: Partial<Dispatcher> = {
    retryLoading() {},
    blocked: () => [],
    beginRead: () => [],
    room: () => 1,
    acceptDue: () => 0,
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
