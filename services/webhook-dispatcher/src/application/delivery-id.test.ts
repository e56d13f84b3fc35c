import { expect, it } from '@jest/globals';
import { newId } from '@junction/contracts';
import { madeAtMs } from './delivery-id.js';

it('The id of a delivery says when the delivery was made, to the millisecond', () => {
  const at = new Date('2030-01-01T12:00:00.123Z');
  expect(madeAtMs(newId('dlv', at))).toBe(at.getTime());
});
