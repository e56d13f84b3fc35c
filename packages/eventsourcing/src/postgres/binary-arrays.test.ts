import { expect, it } from '@jest/globals';
import { bigints, dates, ints, smallints, timestamps, uuids } from './binary-arrays.js';

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

it.each([
  ['a smallint', () => smallints([32_767, -32_768]), () => smallints([32_768])],
  ['an int', () => ints([2_147_483_647, -2_147_483_648]), () => ints([-2_147_483_649])],
  ['an int', () => ints([1.5]), () => ints([Number.NaN])],
  ['a bigint', () => bigints(['9223372036854775807']), () => bigints(['9223372036854775808'])],
  ['a date', () => dates(['2030-01-01']), () => dates(['soon'])],
  ['a time', () => timestamps([new Date(0)]), () => timestamps([new Date(Number.NaN)])],
])('a value that is no %s is not stored as another one', (_, fits, doesNot) => {
  expect(fits).not.toThrow();
  expect(doesNot).toThrow(RangeError);
});
