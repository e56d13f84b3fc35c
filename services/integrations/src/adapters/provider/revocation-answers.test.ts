import { describe, expect, it } from '@jest/globals';
import { REVOCATION_REFUSALS, revocationMeaning } from './revocation-answers.js';

describe('a line of the table', () => {
  it.each(REVOCATION_REFUSALS)('%j means %s: %s', (says, means) => {
    const answers =
      typeof says === 'string'
        ? [{ reason: says, httpStatus: 400 }]
        : says.map((httpStatus) => ({ reason: `http_${httpStatus}`, httpStatus }));
    for (const answer of answers) expect(revocationMeaning(answer)).toBe(means);
  });
});

describe('a revocation that was refused', () => {
  it.each([
    ['by words, whatever the status', { reason: 'invalid_grant', httpStatus: 404 }, 'revoked'],
    ['because of our client', { reason: 'invalid_client', httpStatus: 401 }, 'again'],
    ['by a firewall', { reason: 'http_403', httpStatus: 403 }, 'again'],
    ['by a server that fails', { reason: 'http_500', httpStatus: 500 }, 'again'],
    ['by no answer', { reason: 'timeout', httpStatus: undefined }, 'again'],
  ])('%s', (_, answer, means) => {
    expect(revocationMeaning(answer)).toBe(means);
  });
});
