import { describe, expect, it } from '@jest/globals';
import { demandScope, scopeFor } from './api-key-scopes.js';

describe('the scope that an API key needs', () => {
  it.each([
    ['GET', '/api/integrations', 'integrations:read'],
    ['HEAD', '/api/integrations/stream', 'integrations:read'],
    ['DELETE', '/api/integrations/mailbox', 'integrations:write'],
    ['GET', '/api/integrations/mailbox/authorize', 'integrations:write'],
    ['POST', '/api/webhooks/configure', 'webhooks:write'],
    ['PATCH', '/api/webhooks/wh_1', 'webhooks:write'],
    ['GET', '/api/events/evt_1', 'webhooks:read'],
    ['GET', '/api/deliveries', 'webhooks:read'],
    ['GET', '/api/auth/me', 'account:read'],
    ['POST', '/api/auth/api-keys', undefined],
    ['GET', '/api/webhooksmith', undefined],
    ['GET', '/api/else', undefined],
    ['GET', '/', undefined],
  ])('for %s %s is %s', (method, path, scope) => {
    expect(scopeFor(method, path)).toBe(scope);
  });
});

const key = (scopes: readonly string[]) => ({ via: 'api_key', scopes }) as const;

describe('an API key', () => {
  it('may do what one of its scopes allows, and with all of them everything in a group', () => {
    expect(() => demandScope(key(['webhooks:read']), 'GET', '/api/webhooks')).not.toThrow();
    expect(() => demandScope(key(['api']), 'DELETE', '/api/webhooks/wh_1')).not.toThrow();
  });

  it.each([['api'], ['account:read'], ['account:write']])(
    'with the scope %s changes no account: that wants a session',
    (scope) => {
      expect(() => demandScope(key([scope]), 'DELETE', '/api/auth/me')).toThrow(
        expect.objectContaining({ kind: 'forbidden', code: 'session_required' }),
      );
    },
  );

  it.each([
    [['webhooks:read'], 'POST', '/api/webhooks/configure', 'webhooks:write'],
    [['webhooks:write'], 'GET', '/api/webhooks', 'webhooks:read'],
    [[], 'GET', '/api/auth/me', 'account:read'],
    [['api'], 'GET', '/api/else', undefined],
  ])('with %j may not %s %s', (scopes, method, path, scope) => {
    expect(() => demandScope(key(scopes), method, path)).toThrow(
      expect.objectContaining({ kind: 'forbidden', code: 'insufficient_scope', scope }),
    );
  });
});
