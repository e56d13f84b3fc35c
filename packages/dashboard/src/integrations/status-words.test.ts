import { describe, expect, it } from '@jest/globals';
import type { Integration, IntegrationStatus } from '../api/types.js';
import { integrationStatus, type Reconnecting, reconnecting } from './status-words.js';

const ACTIVE = {
  status: 'active',
  status_reason: null,
  renewable: true,
  missing_scopes: [],
} as const;

describe('the status of an integration in words', () => {
  it.each<[IntegrationStatus, string | null, string, string]>([
    ['active', null, 'good', 'Connected'],
    ['degraded', 'timeout', 'waiting', 'Having trouble'],
    ['reconnect_required', 'invalid_grant', 'bad', 'Reconnect needed'],
    ['revoked', 'account_page', 'bad', 'Revoked at the provider'],
    ['disconnected', 'user', 'neutral', 'Disconnected'],
  ])('%s (%s) is %s: %s', (status, reason, tone, label) => {
    expect(words(status, reason)).toMatchObject({ tone, label });
  });

  it('needs no explanation when it is active', () => {
    expect(words('active')).not.toHaveProperty('explanation');
  });

  it('says when access cannot be renewed', () => {
    expect(integrationStatus({ ...ACTIVE, renewable: false }).explanation).toContain(
      'no way to renew',
    );
  });

  it('is amber and no full connection while a permission is missing', () => {
    expect(integrationStatus({ ...ACTIVE, missing_scopes: ['mailbox.send'] })).toMatchObject({
      tone: 'waiting',
      label: 'Partly connected',
    });
  });

  it.each([
    ['timeout', 'did not answer in time', 'nothing for you to do'],
    ['unreachable', 'could not be reached', 'nothing for you to do'],
    ['not_json', 'could not be understood', 'nothing for you to do'],
    ['malformed_answer', 'could not be understood', 'nothing for you to do'],
    ['http_503', '(http_503)', 'nothing for you to do'],
    ['provider_error', '(provider_error)', 'nothing for you to do'],
    ['invalid_client', '(invalid_client)', 'The operator of this installation'],
    ['unauthorized_client', '(unauthorized_client)', 'The operator of this installation'],
    ['disabled_client', '(disabled_client)', 'The operator of this installation'],
    ['unsupported_grant_type', '(unsupported_grant_type)', 'The operator of this installation'],
    ['account_not_allowed', 'does not let this account', 'the administrator of your organisation'],
    [null, 'answered with an error.', 'nothing for you to do'],
  ])(
    'says of a refresh that failed with %s what happened, and who has to act',
    (reason, what, whose) => {
      const { explanation } = words('degraded', reason);
      expect(explanation).toContain(what);
      expect(explanation).toContain(whose);
    },
  );

  it.each([
    ['invalid_grant', 'revoked in your account there'],
    ['invalid_scope', 'no longer grants the permissions'],
    ['access_denied', 'does not allow us'],
    ['given_up', 'For three days'],
    ['refresh_token_lost', 'answer of the provider was lost'],
    ['refresh_token_unreadable', 'can no longer be read'],
    ['no_refresh_token', 'no way to renew it'],
    ['foreign_id_token', '(foreign_id_token)'],
    [null, 'refuses to renew access.'],
  ])('says of a refusal with %s that one has to reconnect', (reason, what) => {
    const { explanation } = words('reconnect_required', reason);
    expect(explanation).toContain(what);
    expect(explanation).toContain('Until you reconnect');
  });

  it.each([
    ['user', 'You disconnected it'],
    ['user_deleted', 'account was deleted'],
  ])('says of one that was disconnected who did it (%s)', (reason, what) => {
    expect(words('disconnected', reason).explanation).toContain(what);
  });
});

describe('reconnecting', () => {
  const active = {
    connected: true,
    status: 'active',
    renewable: true,
    missing_scopes: [],
  } as const;

  it.each<[Reconnecting, Partial<Integration>]>([
    ['useless', {}],
    ['useful', { status: 'degraded' }],
    ['useful', { renewable: false }],
    ['useful', { missing_scopes: ['mailbox.send'] }],
    ['needed', { connected: false, status: 'reconnect_required' }],
    ['needed', { connected: false, status: 'disconnected', missing_scopes: ['mailbox.send'] }],
  ])('is %s for %j', (expected, more) => {
    expect(reconnecting({ ...active, ...more })).toBe(expected);
  });
});

const words = (status: IntegrationStatus, status_reason: string | null = null) =>
  integrationStatus({ ...ACTIVE, status, status_reason });
