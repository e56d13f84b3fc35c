import { describe, expect, it } from '@jest/globals';
import { atOnce, inTime, KEYS_MAX_AGE_MS, RELOAD_MS } from './rotation.js';

const NOW = new Date('2030-01-01T00:00:00Z');

describe('a rotation of the keys', () => {
  it('in time publishes the new key a day before it signs, and lets the old ones sign a day on', () => {
    expect(inTime(NOW)).toEqual({
      signsFrom: new Date('2030-01-02T00:00:00Z'),
      signsUntil: new Date('2030-01-03T00:00:00Z'),
      publishedUntil: new Date('2030-01-03T01:00:00Z'),
    });
  });

  it('at once takes the old keys back', () => {
    expect(atOnce(NOW)).toEqual({ signsFrom: NOW, signsUntil: NOW, publishedUntil: NOW });
  });

  it('is known to receivers after five minutes, and to replicas after one', () => {
    expect([KEYS_MAX_AGE_MS, RELOAD_MS]).toEqual([300_000, 60_000]);
  });
});
