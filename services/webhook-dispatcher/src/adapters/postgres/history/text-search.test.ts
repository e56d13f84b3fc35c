import { expect, it } from '@jest/globals';
import { batches, OPENED_BYTES_MAX } from './text-search.js';

it('bodies are opened in their order, as many at a time as fit, and a larger one alone', () => {
  const half = OPENED_BYTES_MAX / 2;
  const sizes = [1, half, half - 1, 1, OPENED_BYTES_MAX + 1, 2, half];
  const keys = sizes.map((_, n) => ({ day: '2030-01-01', delivery_id: `dlv_${n}` }));
  const bytes = new Map(keys.map(({ delivery_id }, n) => [delivery_id, sizes[n] ?? 0]));
  const divided = batches(keys, bytes).map((some) =>
    some.map(({ delivery_id: id }) => id.slice(4)),
  );
  expect(divided).toEqual([['0', '1', '2'], ['3'], ['4'], ['5', '6']]);
  expect(batches([], bytes)).toEqual([]);
});
