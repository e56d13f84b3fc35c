import { expect, it } from '@jest/globals';
import { headersOf } from './response-headers.js';

it.each([
  ['', []],
  [
    'date: today\nset-cookie: a=1; b\nset-cookie: c\nempty: ',
    [
      ['date', 'today'],
      ['set-cookie', 'a=1; b'],
      ['set-cookie', 'c'],
      ['empty', ''],
    ],
  ],
])('the headers %j are read as they were kept', (lines, headers) => {
  expect(headersOf(Buffer.from(lines))).toEqual(headers);
});
