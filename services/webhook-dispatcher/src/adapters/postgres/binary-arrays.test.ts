import { expect, it } from '@jest/globals';
import { uuids } from './binary-arrays.js';

it('an array is as array_send of Postgres has it', () => {
  expect(uuids(['0198c0de-0000-7000-8000-00000000ABCD', null]).toString('hex')).toBe(
    '0000000100000001' +
      '00000b86' +
      '0000000200000001' + // dimensions, nulls, type, length, bound
      '00000010' +
      '0198c0de00007000800000000000abcd' +
      'ffffffff',
  );
});

it.each([
  '',
  '0198c0de-0000-7000-8000-00000000abc',
  '0198c0de-0000-7000-8000-00000000abcd0',
  '0198c0de-0000-7000-8000-00000000abcg',
  '0198c0de-0000-7000-8000-00000000abcé',
  '0198c0de-0000-7000-8000-00000000abc€',
  '0198c0de00000-7000-8000-00000000abcd',
])('"%s" is no UUID', (text) => {
  expect(() => uuids([text])).toThrow(RangeError);
});
