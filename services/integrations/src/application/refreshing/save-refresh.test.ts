import { expect, it } from '@jest/globals';
import { retryForMs } from './save-refresh.js';

it('saving is repeated as long as the lease allows, and for eight seconds after a long sleep', () => {
  expect(retryForMs({ saveUntilMs: 60_000 }, 1_000)).toBe(59_000);
  expect(retryForMs({ saveUntilMs: 500 }, 1_000)).toBe(8_000);
});
