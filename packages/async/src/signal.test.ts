import { describe, expect, it } from '@jest/globals';
import { signal } from './signal.js';

const LONG_MS = 60_000;

describe('a signal', () => {
  it('ends the next wait once it was set, and only that one', async () => {
    const changed = signal();
    changed.set();
    await changed.wait(LONG_MS);
    expect(await Promise.race([changed.wait(LONG_MS).then(() => 'over'), nextTurn()])).toBe('on');
    changed.set();
  });

  it('ends the wait under way, which resets it', async () => {
    const changed = signal();
    const waiting = changed.wait(LONG_MS);
    changed.set();
    await waiting;
    const again = changed.wait(LONG_MS);
    expect(await Promise.race([again.then(() => 'over'), nextTurn()])).toBe('on');
    changed.set();
    await again;
  });

  it('is not needed to end a wait: its time or an abort ends it too', async () => {
    const changed = signal();
    await expect(changed.wait(1)).resolves.toBeUndefined();
    await expect(changed.wait(LONG_MS, AbortSignal.abort())).resolves.toBeUndefined();
    const off = new AbortController();
    const waiting = changed.wait(LONG_MS, off.signal);
    off.abort();
    await expect(waiting).resolves.toBeUndefined();
  });
});

const nextTurn = async () => new Promise<string>((resolve) => setImmediate(resolve, 'on'));
