import { describe, expect, it } from '@jest/globals';
import { waitUntil } from './wait.js';

const STILL_MAX_MS = 250;
const { signal } = new AbortController();

describe('rest', () => {
  it('is waited for as long as something becomes less', async () => {
    let count = 8;
    const beganMs = performance.now();
    const left = async () => (--count > 0 ? { count, inWords: `${count} left` } : undefined);
    expect(await waitUntil(STILL_MAX_MS, signal, left)).toBeUndefined();
    expect(performance.now() - beganMs).toBeGreaterThan(2 * STILL_MAX_MS);
  });

  it('is given up, with what is left, when nothing does', async () => {
    const still = async () => ({ count: 3, inWords: '3 left' });
    expect(await waitUntil(STILL_MAX_MS, signal, still)).toBe('3 left');
  });

  it('is not brought nearer by what comes and goes, nor by trouble', async () => {
    let looks = 0;
    const unsteady = async () => {
      looks++;
      if (looks % 3 === 0) throw new Error('away');
      return { count: 3 + (looks % 2), inWords: 'some left' };
    };
    expect(await waitUntil(STILL_MAX_MS, signal, unsteady)).toMatch(/some left|away/);
  });
});
