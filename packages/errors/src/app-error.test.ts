import { expect, it } from '@jest/globals';
import { AppError } from './app-error.js';

it('an unforeseen failure becomes internal and keeps its own words back as the cause', () => {
  const cause = new Error('password=hunter2');
  const error = AppError.from(cause);
  expect(error).toMatchObject({ kind: 'internal', code: 'internal', cause });
  expect(error.message).not.toContain('hunter2');
});

it('a foreseen failure passes through unchanged', () => {
  const error = new AppError('too_many_requests', 'Too fast.', { retryAfterS: 3 });
  expect(AppError.from(error)).toBe(error);
  expect(error).toMatchObject({ retryAfterS: 3, fields: [] });
});
