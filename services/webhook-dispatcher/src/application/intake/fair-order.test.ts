import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { deferred } from '@junction/async';
import { FairOrder, type Piece } from './fair-order.js';

describe('the order in which events are sent', () => {
  beforeEach(() => {
    // Each event takes a turn of the loop for itself.
    let nowMs = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1_000));
  });
  afterEach(() => void jest.restoreAllMocks());

  it('is that in which they come, while their users have little in hand', async () => {
    const { sent, add, settled } = ordered();
    add('a', 'b', 'a', 'c', 'a');
    add('b');
    await settled();
    expect(sent.join('')).toBe('abacab');
  });

  it('lets others pass a user who has much in hand, in the middle of a burst', async () => {
    const { sent, add, settled } = ordered({ a: 50 });
    add(...Array<string>(500).fill('a'));
    while (sent.length < 20) await nextTurn();
    const before = sent.length;
    add('b', 'c', 'b');
    await settled();
    expect(sent.slice(before).join('')).toMatch(/^a?bcba/u);
  });

  it('gives users who have much every second delivery while others wait', async () => {
    const { sent, add, settled } = ordered({ a: 50 });
    add(...Array<string>(20).fill('a'), ...Array<string>(200).fill('b'));
    await settled();
    expect(sent.slice(4).join('')).toMatch(/^a?bab{50}ab{50}ab{50}ab+a+$/u);
  });

  it('lets lines apart take turns', async () => {
    const { sent, add, settled } = ordered({ a: 500, b: 500 });
    add('a', 'a', 'a', 'b', 'b', 'b');
    await settled();
    expect(sent.join('')).toBe('aababb');
  });

  it('lets a user have 2000 deliveries in hand, and more as they are committed', async () => {
    const { sent, add, end, settled } = ordered({ a: 50 });
    add(...Array<string>(60).fill('a'));
    await settled();
    expect(sent).toHaveLength(40);
    add('b');
    await settled();
    expect(sent.slice(40)).toEqual(['b']);
    end(0, 1, 2);
    await settled();
    expect(sent.slice(41)).toEqual(['a', 'a', 'a']);
  });

  it('skips an event that is given up before its turn', async () => {
    const { sent, add, end, settled } = ordered({ a: 500 });
    add('b', 'a', 'c', 'a', 'a', 'd');
    end(2, 3);
    await settled();
    expect(sent.join('')).toBe('baad');
    add('a', 'c');
    await settled();
    expect(sent.slice(4).join('')).toMatch(/^(?:ac|ca)$/u);
  });
});

describe('a dispatcher that is not ready', () => {
  it('gets a thousand deliveries at most, and none of users who have much in hand', async () => {
    const gate = deferred<void>();
    const { sent, add, settled } = ordered({ a: 50 }, gate.promise);
    add(
      ...Array<string>(30).fill('a'),
      ...Array<string>(2_000)
        .fill('b')
        .map((b, n) => `${b}${n}`),
    );
    await settled();
    const others = sent.filter((user) => user !== 'a');
    const ofHeavy = 50 * (sent.length - others.length);
    expect(ofHeavy + others.length).toBe(1_000);
    expect(ofHeavy).toBeLessThanOrEqual(500);
    gate.resolve();
    await settled();
    expect(sent).toHaveLength(2_030);
  });
});

it('no more events are taken in while 64 MB wait to be sent', async () => {
  const gate = deferred<void>();
  const { sent, ended, add, settled } = ordered({ a: 500 }, gate.promise, 32 * 1_024 * 1_024);
  add('a', 'a', 'a');
  await settled();
  expect([sent.length, ended.adds]).toEqual([1, 0]);
  gate.resolve();
  await settled();
  expect([sent.length, ended.adds]).toEqual([3, 1]);
});

/** Events of users, with the cost of each of their events; one unless named.
 * `sent` has the users of what was sent. */
function ordered(
  costs: Readonly<Record<string, number>> = {},
  ready: Promise<void> = Promise.resolve(),
  bytes = 2,
) {
  const pieces: Piece[] = [];
  const sent: string[] = [];
  const ended = { adds: 0 };
  const order = new FairOrder<Piece>({
    send: ({ event }) => void sent.push(event.userId),
    dispatch: { ready: async () => ready },
    turnEnded: () => undefined,
  });
  const data = Buffer.alloc(0);
  Object.defineProperty(data, 'length', { value: bytes });
  return {
    sent,
    ended,
    add(...users: readonly string[]): void {
      const added = users.map((userId) => ({ event: { userId, data }, cost: costs[userId] ?? 1 }));
      pieces.push(...added);
      void order.add(added).then(() => (ended.adds += 1));
    },
    end: (...at: readonly number[]) =>
      pieces.filter((_, n) => at.includes(n)).forEach((piece) => order.end(piece)),
    /** Resolves when nothing is sent any more. */
    async settled() {
      for (let count = -1; count !== sent.length; await nextTurn()) {
        count = sent.length;
        await nextTurn();
      }
    },
  };
}
