import { expect, it } from '@jest/globals';
import { startedIn } from './started-in.js';

it('says how long the start took since the process began, not since this module was loaded', () => {
  const processAgeMs = performance.now();
  const roundedBy = 50;
  expect(Number.parseFloat(startedIn()) * 1_000).toBeGreaterThanOrEqual(processAgeMs - roundedBy);
});
