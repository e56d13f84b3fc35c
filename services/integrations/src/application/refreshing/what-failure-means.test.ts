import { describe, expect, it } from '@jest/globals';
import { ProviderError, type ProviderErrorOptions } from '../provider-error.js';
import type { Lease } from './ports.js';
import { whatFailureMeans } from './what-failure-means.js';

const NOW = new Date('2030-01-04T00:00:00Z');
const DAY_MS = 86_400_000;
const BACKOFF = { short: 1_000, long: 60_000 };

const DOWN = { failure: 'unavailable', reason: 'http_503', sent: true, httpStatus: 503 } as const;
const UNREACHED = { failure: 'unavailable', reason: 'timeout', sent: true } as const;
const TURNED_DOWN = {
  failure: 'rejected',
  reason: 'http_403',
  sent: true,
  httpStatus: 403,
} as const;
const REFUSED = { failure: 'refused', reason: 'invalid_grant', sent: true } as const;

describe('a refresh that failed', () => {
  it.each<[string, ProviderErrorOptions, string]>([
    ['no answer', UNREACHED, 'lost short'],
    ['a request that was not sent', { ...UNREACHED, sent: false }, 'short'],
    ['an answer of a server that fails', DOWN, 'lost unclear short'],
    ['one that holds the token', { ...DOWN, recovered: { refreshToken: 'rt' } }, 'unclear short'],
    ['one that holds no refresh token', { ...DOWN, recovered: {} }, 'lost unclear short'],
    ['one that asks for patience', { ...DOWN, reason: 'http_429' }, 'short'],
    ['a server that is not ready', { ...DOWN, reason: 'http_425' }, 'short'],
    ['a server that is busy', { ...DOWN, reason: 'temporarily_unavailable' }, 'short'],
    ['a server that is asked too often', { ...DOWN, reason: 'slow_down' }, 'short'],
    ['a server that refreshes it already', { ...DOWN, reason: 'refresh_under_way' }, 'short'],
    ['an answer that turns it down', TURNED_DOWN, 'unclear long'],
    ['the last status before a redirect', { ...TURNED_DOWN, httpStatus: 299 }, 'unclear long'],
    ['a redirect', { ...TURNED_DOWN, httpStatus: 300 }, 'lost unclear long'],
    ['the last redirect', { ...TURNED_DOWN, httpStatus: 399 }, 'lost unclear long'],
    ['the first status after it', { ...TURNED_DOWN, httpStatus: 400 }, 'unclear long'],
    ['a redirect of a refusal', { ...REFUSED, httpStatus: 302 }, 'final short'],
    ['a refusal of the grant', REFUSED, 'final short'],
    ['a refusal of our client', { ...REFUSED, failure: 'misconfigured' }, 'short'],
  ])('with %s', (_, failure, expected) => {
    const { reason, final, backoffMs, answerLost, unclear } = meaning(failure);
    const words = [
      ...(final ? ['final'] : []),
      ...(answerLost ? ['lost'] : []),
      ...(unclear ? ['unclear'] : []),
      backoffMs === BACKOFF.long ? 'long' : 'short',
    ];
    expect([words.join(' '), reason]).toEqual([expected, failure.reason]);
  });

  it('is tried again later each time, and not before the provider wants it', () => {
    expect(meaning(DOWN).backoffMs).toBe(BACKOFF.short);
    expect(meaning(DOWN, { failures: 2 }).backoffMs).toBe(4 * BACKOFF.short);
    expect(meaning({ ...DOWN, retryAfterMs: 90_000 }).backoffMs).toBe(90_000);
  });

  it.each([
    ['refresh_token_lost', true, 'invalid_grant'],
    ['invalid_grant', false, 'invalid_grant'],
    ['unauthorized_client', true, 'unauthorized_client'],
  ])(
    'by a refusal has the reason %s: an answer was lost before (%s)',
    (reason, answerLost, said) => {
      expect(meaning({ ...REFUSED, reason: said }, { answerLost }).reason).toBe(reason);
    },
  );
});

describe('a grant that stays unclear', () => {
  const since = (ms: number) => new Date(NOW.getTime() - ms);

  it.each([
    ['is given up after three days', DOWN, { unclearSince: since(3 * DAY_MS) }, true],
    ['is not given up before', DOWN, { unclearSince: since(3 * DAY_MS - 1) }, false],
    ['is not given up when it was clear until now', DOWN, {}, false],
    ['is not given up by no answer', UNREACHED, { unclearSince: since(9 * DAY_MS) }, false],
    [
      'is not given up while the access token lives',
      DOWN,
      { unclearSince: since(9 * DAY_MS), expiresAt: new Date(NOW.getTime() + 1) },
      false,
    ],
  ])('%s', (_, failure, lease, isGivenUp) => {
    expect(meaning(failure, lease)).toMatchObject({
      final: isGivenUp,
      reason: isGivenUp ? 'given_up' : failure.reason,
    });
  });
});

/** Returns the meaning, with the longest wait of its range. */
const meaning = (failure: ProviderErrorOptions, lease: Partial<Lease> = {}) =>
  whatFailureMeans(new ProviderError(failure), { ...LEASE, ...lease }, NOW, 1);

const LEASE: Lease = {
  identityProvider: 'acme',
  provider: 'mailbox',
  connectionId: 'con_1',
  userId: 'ada',
  owner: 'us',
  credentialVersion: 1,
  sendUntilMs: 0,
  saveUntilMs: 0,
  consent: 'con_1#1',
  accountId: 'account-1',
  refreshToken: 'rt',
  expiresAt: NOW,
  scopes: { grantedScopes: [], missingScopes: [] },
  failures: 0,
  answerLost: false,
  unclearSince: undefined,
};
