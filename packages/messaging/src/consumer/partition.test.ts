import { expect, it } from '@jest/globals';
import { isHealthy } from './partition.js';

it.each([
  ['running', undefined, true],
  ['backing_off', 5_001, true],
  ['backing_off', 5_000, false],
  ['seeking', 5_000, false],
  ['offset_lost', undefined, false],
] as const)('a partition that is %s, failing since %s ms of 15 s: %s', (state, since, isIt) => {
  expect(isHealthy({ state, failingSinceMs: since }, 15_000)).toBe(isIt);
});
