import { describe, expect, it } from '@jest/globals';
import { timingParts } from './timing-parts.js';

const timing = { dns_ms: 2, connect_ms: 10, tls_ms: 30, first_byte_ms: 100, total_ms: 105 };

describe('the parts of the time of an attempt', () => {
  it('lie one after the other and make up the whole', () => {
    expect(timingParts({ timing })).toEqual([
      { name: 'DNS', fromMs: 0, ms: 2 },
      { name: 'Connect', fromMs: 2, ms: 10 },
      { name: 'TLS', fromMs: 12, ms: 30 },
      { name: 'First byte', fromMs: 42, ms: 58 },
      { name: 'Body', fromMs: 100, ms: 5 },
    ]);
  });

  it('are only those that it came to', () => {
    const failed = { ...timing, tls_ms: null, first_byte_ms: null, total_ms: 5_000 };
    expect(timingParts({ timing: failed }).at(-1)).toEqual({
      name: 'Until it failed',
      fromMs: 12,
      ms: 4_988,
    });
    const reused = { ...timing, dns_ms: null, connect_ms: null, tls_ms: null };
    expect(timingParts({ timing: reused }).map(({ name }) => name)).toEqual(['First byte', 'Body']);
  });

  it('are never less than nothing', () => {
    const late = { ...timing, first_byte_ms: 41, total_ms: 41 };
    expect(timingParts({ timing: late }).every(({ ms }) => ms >= 0)).toBe(true);
  });
});
