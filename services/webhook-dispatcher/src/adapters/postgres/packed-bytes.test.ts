import { expect, it } from '@jest/globals';
import { packed } from './packed-bytes.js';

it('values lie behind each other, one that is empty or absent too', () => {
  const values = [Buffer.from('one'), null, Buffer.alloc(0), Buffer.from([0, 255])];
  expect(packed(values)).toEqual({
    bytes: Buffer.from([...Buffer.from('one'), 0, 255]),
    starts: [1, 4, 4, 4],
    lengths: [3, null, 0, 2],
  });
});
