import { describe, expect, it } from '@jest/globals';
import { deferred } from './deferred.js';
import { semaphore } from './semaphore.js';

const refusal = () => new Error('too busy');

describe('a semaphore', () => {
  it('runs as many calls at once as allowed, the others in turn, and refuses calls beyond the queue', async () => {
    const through = semaphore({ atOnceMax: 2, waitingMax: 2, refusal });
    const order: string[] = [];
    const gates = new Map<string, () => void>();
    const visit = (name: string) =>
      through(async () => {
        order.push(name);
        await new Promise<void>((resolve) => gates.set(name, resolve));
      });

    const visits = ['a', 'b', 'c', 'd'].map(visit);
    await expect(visit('e')).rejects.toThrow('too busy');
    expect(order).toEqual(['a', 'b']);

    for (const name of ['a', 'b', 'c', 'd']) {
      gates.get(name)?.();
      await visits.shift();
      await Promise.resolve();
    }
    expect(order).toEqual(['a', 'b', 'c', 'd']);
  });

  it('refuses callers that have waited too long, and lets the next ones in', async () => {
    const through = semaphore({ atOnceMax: 1, waitingMax: 2, waitMaxMs: 20, refusal });
    const { promise: ended, resolve: end } = deferred<void>();
    const first = through(() => ended);
    await expect(through(async () => 'late')).rejects.toThrow('too busy');
    const next = through(async () => 'in time');
    end();
    await first;
    expect(await next).toBe('in time');
  });

  it('never runs a call that is called off while it waits, and refuses no other for it', async () => {
    const through = semaphore({ atOnceMax: 1, waitingMax: 1, refusal });
    const { promise: ended, resolve: end } = deferred<void>();
    const first = through(() => ended);
    const off = new AbortController();
    let begun = 0;
    const work = async () => (begun += 1);
    const waiting = through(work, off.signal);
    off.abort(new Error('hung up'));
    await expect(waiting).rejects.toThrow('hung up');
    await expect(through(work, off.signal)).rejects.toThrow('hung up');
    const next = through(work);
    end();
    expect(await next).toBe(1);
    await first;
  });

  it('frees the slot of work that fails', async () => {
    const through = semaphore({ atOnceMax: 1, waitingMax: 0, refusal });
    await expect(through(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(through(async () => 'in')).resolves.toBe('in');
  });
});
