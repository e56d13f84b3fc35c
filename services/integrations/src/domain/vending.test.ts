import { describe, expect, it } from '@jest/globals';
import { type CurrentToken, serveOrRefresh, type TokenNeed } from './vending.js';

const SECOND = 1_000;
const NOW = new Date('2030-01-02T03:04:05.000Z');

describe('a token that is asked for', () => {
  it('is served while it lives as long as needed', () => {
    expect(
      serveOrRefresh(token({ restMs: 60 * SECOND }), need({ minLifetimeMs: 60 * SECOND }), NOW),
    ).toBe('serve');
  });

  it('is refreshed when it would end before', () => {
    expect(
      serveOrRefresh(token({ restMs: 59 * SECOND }), need({ minLifetimeMs: 60 * SECOND }), NOW),
    ).toBe('refresh');
  });

  it('is refreshed when it has expired, whatever is needed', () => {
    expect(serveOrRefresh(token({ restMs: 0 }), need({ minLifetimeMs: 0 }), NOW)).toBe('refresh');
  });

  it('is served after one refresh, although the provider gives none that lives so long', () => {
    const fresh = token({ restMs: 60 * SECOND, issuedAt: NOW });
    expect(serveOrRefresh(fresh, need({ minLifetimeMs: 3_600 * SECOND }), NOW)).toBe('serve');
  });

  it('is not refreshed after an answer was lost, until shortly before its end', () => {
    const lost = (restMs: number) => token({ restMs, answerLost: true });
    const wanted = need({ minLifetimeMs: 3_600 * SECOND });
    expect(() => serveOrRefresh(lost(61 * SECOND), wanted, NOW)).toThrow(
      expect.objectContaining({ code: 'provider_unavailable', retryAfterS: 1 }),
    );
    expect(serveOrRefresh(lost(61 * SECOND), need({ minLifetimeMs: 0 }), NOW)).toBe('serve');
    expect(serveOrRefresh(lost(60 * SECOND), wanted, NOW)).toBe('refresh');
  });

  it.each([
    ['is served while it is young', 2_701, 'serve'],
    ['is refreshed when it is old', 2_699, 'refresh'],
  ])('by somebody who wants more than the provider gives %s', (_, restS, answer) => {
    const restMs = restS * SECOND;
    const issuedAt = new Date(NOW.getTime() + restMs - 3_600 * SECOND);
    for (const minLifetimeMs of [3_600 * SECOND, 86_400 * SECOND]) {
      const refreshed = token({ restMs, issuedAt, isRefreshed: true });
      expect(serveOrRefresh(refreshed, need({ minLifetimeMs }), NOW)).toBe(answer);
      // The lifetime of a token from a code says nothing about refreshes.
      const first = token({ restMs, issuedAt });
      expect(serveOrRefresh(first, need({ minLifetimeMs }), NOW)).toBe('refresh');
    }
  });

  it('is refreshed for somebody who wants no more than a refresh gives', () => {
    const issuedAt = new Date(NOW.getTime() - 800 * SECOND);
    const refreshed = token({ restMs: 2_800 * SECOND, issuedAt, isRefreshed: true });
    expect(serveOrRefresh(refreshed, need({ minLifetimeMs: 2_900 * SECOND }), NOW)).toBe('refresh');
  });

  it('is served by a degraded connection', () => {
    expect(serveOrRefresh(token({ status: 'degraded' }), need({}), NOW)).toBe('serve');
  });

  it('is refused with the names of the scopes it does not carry', () => {
    const scopes = ['mailbox.readonly', 'mailbox.send', 'mailbox.modify'];
    expect(() => serveOrRefresh(token({}), need({ scopes }), NOW)).toThrow(
      expect.objectContaining({
        kind: 'forbidden',
        code: 'missing_scope',
        message: expect.stringContaining('mailbox.send, mailbox.modify'),
        fields: [
          { field: 'scopes', code: 'not_granted', message: 'mailbox.send' },
          { field: 'scopes', code: 'not_granted', message: 'mailbox.modify' },
        ],
      }),
    );
  });

  it.each(['disconnected', 'reconnect_required', 'revoked'])(
    'is refused when the connection is %s',
    (status) => {
      expect(() => serveOrRefresh(token({ status }), need({}), NOW)).toThrow(
        expect.objectContaining({ kind: 'conflict', code: status }),
      );
    },
  );
});

function token({
  restMs = 600 * SECOND,
  ...rest
}: Partial<CurrentToken> & { restMs?: number }): CurrentToken {
  return {
    status: 'active',
    grantedScopes: ['mailbox.readonly'],
    issuedAt: new Date(NOW.getTime() - 600 * SECOND),
    isRefreshed: false,
    answerLost: false,
    expiresAt: new Date(NOW.getTime() + restMs),
    ...rest,
  };
}

const need = (need: Partial<TokenNeed>): TokenNeed => ({
  scopes: [],
  minLifetimeMs: 0,
  askedAt: NOW,
  ...need,
});
