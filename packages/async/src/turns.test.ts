import { describe, expect, it } from '@jest/globals';
import { deferred } from './deferred.js';
import { semaphore } from './semaphore.js';
import { turns } from './turns.js';

const refusal = () => new Error('too many');

describe('work in turn', () => {
  it('runs one call after the other for the same key, and beside work of other keys', async () => {
    const inTurn = turns({ waitingMax: 9, refusal });
    const order: string[] = [];
    const gate = deferred<void>();
    const first = inTurn('a', async () => {
      order.push('a1');
      await gate.promise;
      order.push('a1 ends');
      throw new Error('of its own');
    });
    const second = inTurn('a', async () => order.push('a2'));
    await inTurn('b', async () => order.push('b1'));
    expect(order).toEqual(['a1', 'b1']);
    gate.resolve();
    await expect(first).rejects.toThrow('of its own');
    await second;
    expect(order).toEqual(['a1', 'b1', 'a1 ends', 'a2']);
  });

  it('gives each key its turn at what all stand in line for, however many calls one key has', async () => {
    const ofKey = turns({ waitingMax: 9, refusal });
    const common = semaphore({ atOnceMax: 1, waitingMax: 9, refusal });
    const order: string[] = [];
    const call = (key: string) => ofKey(key, () => common(async () => void order.push(key)));
    await Promise.all(['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(call));
    expect(order.join('')).toBe('abcabaa');
  });

  it('runs as many calls of a key at once as its line is wide', async () => {
    const ofKey = turns({ atOnceMax: 2, waitingMax: 9, refusal });
    const gate = deferred<void>();
    const begun: string[] = [];
    const call = (key: string) =>
      ofKey(key, async () => {
        begun.push(key);
        await gate.promise;
      });
    const calls = ['a', 'a', 'a', 'b'].map(call);
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun.join('')).toBe('aab');
    gate.resolve();
    await Promise.all(calls);
  });

  it('is bounded by key, and frees its slot when it has ended', async () => {
    const inTurn = turns({ waitingMax: 1, refusal });
    const gate = deferred<void>();
    const wait = (key: string) => inTurn(key, () => gate.promise);
    const waiting = [wait('a'), wait('a'), wait('b'), wait('b')];
    await expect(wait('a')).rejects.toThrow('too many');
    gate.resolve();
    await Promise.all(waiting);
    await wait('a');
  });
});
