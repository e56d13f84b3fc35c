import { describe, expect, it } from '@jest/globals';
import { nextDay } from './redact-user-payloads.js';

describe('the days of a redaction', () => {
  const days = ['2029-12-30', '2029-12-31', '2030-01-01', '2030-01-02', '2030-01-03'];
  const requestedAt = new Date('2030-01-01T23:59:59Z');

  it('are listed one after the other, up to the day after the request', () => {
    const after = (listedTo: string) => nextDay({ requestedAt, listedTo }, days);
    expect(after('2029-12-29')).toBe('2029-12-30');
    expect(after('2029-12-31')).toBe('2030-01-01');
    expect(after('2030-01-01')).toBe('2030-01-02');
    expect(after('2030-01-02')).toBeUndefined();
  });

  it('are those that retention has left', () => {
    expect(nextDay({ requestedAt, listedTo: '1970-01-01' }, days)).toBe('2029-12-30');
    expect(nextDay({ requestedAt, listedTo: '1970-01-01' }, [])).toBeUndefined();
  });
});
