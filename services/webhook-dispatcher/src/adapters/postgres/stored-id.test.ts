import { describe, expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { dayOf, daysAround, lowestIdAt, timeOfId, toStoredId } from './stored-id.js';

const MIDNIGHT = new Date('2030-03-01T00:00:00Z');

describe('a stored id', () => {
  it('lies above the lowest one of its millisecond and below that of the next', () => {
    const id = toStoredId(newId('dlv', MIDNIGHT));
    expect(id > lowestIdAt(MIDNIGHT)).toBe(true);
    expect(id < lowestIdAt(new Date(MIDNIGHT.getTime() + 1))).toBe(true);
    expect(timeOfId(lowestIdAt(MIDNIGHT))).toEqual(MIDNIGHT);
    expect(lowestIdAt(new Date(0))).toBe('00000000-0000-0000-0000-000000000000');
  });

  it('may be filed under the day before or after its time', () => {
    expect(daysAround(lowestIdAt(MIDNIGHT))).toEqual(['2030-02-28', '2030-03-02']);
  });

  it('that somebody made up has days that there are, and so has any moment', () => {
    const last = '9999-12-31';
    expect(daysAround('ffffffff-ffff-ffff-ffff-ffffffffffff')).toEqual([last, last]);
    expect(dayOf(new Date('9999-12-31T23:59:59Z'), 86_400_000)).toBe(last);
    expect(lowestIdAt(new Date('0001-01-01T00:00:00Z'))).toBe(lowestIdAt(new Date(0)));
  });
});
