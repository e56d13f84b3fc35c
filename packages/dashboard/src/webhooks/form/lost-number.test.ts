import { expect, it } from '@jest/globals';
import { lostNumber } from './lost-number.js';

it.each([
  ['{"path":"id","equals":9007199254740993}', '9007199254740993'],
  ['{"in":[1,1e400]}', '1e400'],
  ['{"gt":1e-400}', '1e-400'],
  ['-0.1000000000000000055511151231257827', '-0.1000000000000000055511151231257827'],
])('a number that would be sent as another one is found: %s', (json, number) => {
  expect(lostNumber(json)).toBe(number);
});

it.each([
  '{"path":"id","equals":9007199254740992.0}',
  '{"a":"9007199254740993 \\" 1e400","b":[0,-0.0,1e3,0.10,1e23,5e-324]}',
  '',
])('a number that is sent as it is typed is none: %s', (json) => {
  expect(lostNumber(json)).toBeUndefined();
});
