import { expect, it } from '@jest/globals';
import { hashOfCode, makeCodes } from './recovery-codes.js';

const [code = ''] = makeCodes((bytes) => Buffer.alloc(bytes, 0xa1));

it.each([
  'a1a1a-1a1a1-a1a1a-1a1a1',
  ' A1A1A1A1A1A1A1A1A1A1 ',
  'a1a1a–1a1a1—a1a1a−1a1a1',
  'ａ１ａ１ａー１ａ１ａ１－ａ１ａ１ａ　１ａ１ａ１',
])('a recovery code is the same, typed as %j', (typed) => {
  expect(hashOfCode(typed)).toEqual(hashOfCode(code));
});

it('a recovery code is none with another letter', () => {
  expect(hashOfCode('b1a1a-1a1a1-a1a1a-1a1a1')).not.toEqual(hashOfCode(code));
});
