import { expect, it } from '@jest/globals';
import { JunctionProblem, JunctionUnreachableError } from '@junction/client';
import { opsFailure } from './ops-failure.js';

const place = { service: 'auth', url: 'http://127.0.0.1:7001' };
const refused = (status: number, code?: string) =>
  new JunctionProblem(new Response(null, { status }), code && { code, detail: 'Not so.' });
const unreachable = (name: string) =>
  new JunctionUnreachableError('no answer', { cause: Object.assign(new Error(), { name }) });

it.each([
  [refused(400, 'invalid_request'), 2, 'Not so. (invalid_request)'],
  [refused(401, 'invalid_token'), 1, 'does not accept the token'],
  [refused(403, 'scope_missing'), 1, 'Not so. Grant it to this service account. (scope_missing)'],
  [refused(404, 'user_not_found'), 1, 'Not so. (user_not_found)'],
  [refused(404, 'no_such_route'), 1, 'Is this its own HTTP port'],
  [refused(404), 1, 'Is this its own HTTP port'],
  [refused(500, 'internal'), 1, 'Its log says why.'],
  [unreachable('TypeError'), 1, 'auth at http://127.0.0.1:7001 cannot be reached.'],
  [unreachable('TimeoutError'), 1, 'did not answer in time'],
])('an operator reads what happened, and what to do: %s', (error, exitCode, words) => {
  const message = expect.stringContaining(words) as unknown;
  expect(opsFailure(place, error)).toMatchObject({ name: 'Failure', exitCode, message });
});
