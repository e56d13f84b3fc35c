import { expect, it } from '@jest/globals';
import { differences } from './fits.js';

const shown = {
  id: 'wh_…',
  status: 'succeeded',
  at: '2026-01-02T03:04:05.678Z',
  count: 1,
  reason: null,
  items: ['…'],
};
const actual = { ...shown, id: 'wh_17', at: '2027-02-03T04:05:06.789Z', count: 2, items: [1, 2] };

it('ids, moments and numbers may be others than those shown', () => {
  expect(differences(shown, actual)).toEqual([]);
});

it.each([
  [{ id: 'con_17' }, 'answer.id: "wh_…" is "con_17"'],
  [{ status: 'retrying' }, 'answer.status: "succeeded" is "retrying"'],
  [{ at: 'yesterday' }, 'answer.at: "2026-01-02T03:04:05.678Z" is "yesterday"'],
  [{ count: '2' }, 'answer.count: 1 is "2"'],
  [{ reason: 'x' }, 'answer.reason: null is "x"'],
  [{ items: {} }, 'answer.items: ["…"] is {}'],
])('%j differs', (change, difference) => {
  expect(differences(shown, { ...actual, ...change })).toEqual([difference]);
});

it('a field that is not shown, or shown and not there, differs', () => {
  expect(differences(shown, { ...actual, more: 1 })).toHaveLength(1);
  expect(differences({ ...shown, more: 1 }, actual)).toHaveLength(1);
});
