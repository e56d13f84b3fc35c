import { describe, expect, it } from '@jest/globals';
import type { InboundRecord } from '@junction/kafka';
import { type Taken, withoutDuplicates } from './duplicates.js';

const nothing: Taken = { sequences: new Map(), ids: new Set() };
const fresh = (taken: Partial<Taken>, ...records: readonly InboundRecord[]) =>
  withoutDuplicates(records, { ...nothing, ...taken });

describe('a record with a sequence', () => {
  it.each([
    [3, false],
    [4, false],
    [5, true],
    [7, true],
  ])('%i of a key that is at 4 is new: %s', (n, isNew) => {
    const record = numbered('a', n);
    const sequences = new Map([['a', 4n]]);
    expect(fresh({ sequences }, record)).toEqual(isNew ? [record] : []);
  });

  it('is compared with the records before it in the batch, of its own key', () => {
    const [one, two, other] = [numbered('a', 1), numbered('a', 2), numbered('b', 1)];
    expect(fresh({}, one, two, one, two, other)).toEqual([one, two, other]);
  });

  it.each(['0', '-1', '1.5', 'one', '', '01', '9'.repeat(19)])('%j is known by its id', (text) => {
    const record = recordWith('a', { ce_sequence: text, ce_source: 's', ce_id: '1' });
    expect(fresh({}, record, record)).toEqual([record]);
  });
});

describe('a record without a sequence', () => {
  it('is known by its source and id', () => {
    const [first, second] = [identified('s', '1'), identified('t', '1')];
    expect(fresh({ ids: new Set(['s\n1']) }, first, second, second)).toEqual([second]);
  });

  it('is always new without an id', () => {
    const record = recordWith(null, {});
    expect(fresh({}, record, record)).toEqual([record, record]);
  });
});

const numbered = (key: string, sequence: number) =>
  recordWith(key, { ce_sequence: String(sequence) });

const identified = (source: string, id: string) =>
  recordWith('a', { ce_source: source, ce_id: id });

const recordWith = (key: string | null, headers: Record<string, string>): InboundRecord => ({
  topic: 't',
  partition: 0,
  offset: 0n,
  key,
  headers,
  value: Buffer.alloc(0),
  timestamp: new Date(0),
});
