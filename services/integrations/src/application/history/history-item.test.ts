import { describe, expect, it } from '@jest/globals';
import type { Connected, ConnectionEvent } from '../../domain/connection/events.js';
import { historyItem, refreshItem } from './history-item.js';

const AT = '2030-01-02T03:04:05.678Z';
const ABOUT = {
  userId: 'u1',
  identityProvider: 'acme',
  provider: 'mailbox' as const,
  account: 'ada@example.com',
  at: AT,
};
const USER = { kind: 'user' as const, id: 'u1' };
const SYSTEM = { kind: 'system' as const, id: 'integrations' };

describe('a connection that began', () => {
  it('names the account, what was granted and what was not', () => {
    expect(historyItem(connected(), USER)).toEqual({
      type: 'integration.connected',
      at: AT,
      actor: 'user',
      detail: 'Connected ada@example.com. Asked for and not granted: mailbox.send.',
      account: 'ada@example.com',
      grantedScopes: ['mailbox.readonly'],
      missingScopes: ['mailbox.send'],
      credentialVersion: 3,
      expiresAt: '2030-01-02T04:04:05.678Z',
    });
  });

  it('says that all was granted, and when it cannot be renewed', () => {
    const { detail } = historyItem(connected({ missingScopes: [], renewable: false }), USER);
    expect(detail).toMatch(/^Connected ada@example.com. Everything asked for is granted. .*again/);
  });

  it("keeps the provider's own id of the account to itself", () => {
    expect(JSON.stringify(historyItem(connected(), USER))).not.toContain('account-1');
  });
});

describe('a refresh', () => {
  it('names what is granted now, and until when', () => {
    const expiresAt = new Date('2030-01-02T04:04:05.678Z');
    const scopes = { grantedScopes: ['mailbox.readonly'], missingScopes: ['mailbox.send'] };
    expect(refreshItem({ ...scopes, credentialVersion: 2, at: new Date(AT), expiresAt })).toEqual({
      type: 'integration.refreshed',
      at: AT,
      actor: 'system',
      detail: 'Access was renewed. Asked for and not granted: mailbox.send.',
      ...scopes,
      credentialVersion: 2,
      expiresAt: '2030-01-02T04:04:05.678Z',
    });
  });
});

describe('a failure', () => {
  it.each([
    ['http_503', 'the provider answered with HTTP 503'],
    ['timeout', 'the provider did not answer in time'],
    ['server_error', 'the provider answered with an error (server_error)'],
    ['constructor', 'the provider answered with an error (constructor)'],
    ['account_not_allowed', 'the administrator of its organisation may have decided so'],
  ])('because of %s is put in words, and that it is tried again', (reason, words) => {
    const item = historyItem(failed('integration.degraded', reason), SYSTEM);
    expect(item).toMatchObject({ actor: 'provider', reason, credentialVersion: 1 });
    expect(item.detail).toContain(`${words}. It is tried again`);
  });

  it.each([
    ['invalid_grant', 'provider', /revoked there, or has expired\. Connect again/],
    ['invalid_scope', 'provider', /no longer grants the permissions.*Connect again/],
    ['access_denied', 'provider', /does not allow it\. Connect again/],
    ['given_up', 'system', /did not say why\. Connect again/],
    ['refresh_token_lost', 'provider', /refresh was lost.*old refresh token\. Connect again/],
    ['refresh_token_unreadable', 'system', /can no longer be read\. Connect again/],
    ['no_refresh_token', 'system', /had given no refresh token\. Connect again/],
    ['foreign_id_token', 'provider', /\(foreign_id_token\)\. Connect again/],
  ])('for good because of %s tells the user what to do', (reason, actor, words) => {
    const item = historyItem(failed('integration.reconnect_required', reason), SYSTEM);
    expect(item).toMatchObject({ actor, reason, detail: expect.stringMatching(words) });
  });

  it('that is over needs no more words', () => {
    const event: ConnectionEvent = { type: 'integration.recovered', data: ABOUT };
    expect(historyItem(event, SYSTEM)).toEqual({
      type: 'integration.recovered',
      at: AT,
      actor: 'system',
      detail: 'Access can be renewed again.',
    });
  });
});

describe('an end', () => {
  it.each([
    ['user', USER, 'user', 'destroyed'],
    ['user_deleted', SYSTEM, 'system', 'account was deleted'],
  ] as const)('by %s says whose it was', (reason, by, actor, words) => {
    const event: ConnectionEvent = {
      type: 'integration.disconnected',
      data: { ...ABOUT, reason },
    };
    expect(historyItem(event, by)).toMatchObject({
      actor,
      reason,
      detail: expect.stringContaining(words),
    });
  });
});

describe('a revocation at the provider', () => {
  it.each([
    ['tokens_revoked', 'access was revoked there'],
    ['account_disabled', 'disabled there'],
    ['account_purged', 'deleted there'],
    ['inactive', 'says that access is no longer valid'],
  ] as const)('(%s) is the provider’s doing, and can be put right', (reason, words) => {
    const event: ConnectionEvent = {
      type: 'integration.revoked',
      data: { ...ABOUT, credentialVersion: 2, reason },
    };
    const item = historyItem(event, SYSTEM);
    expect(item).toMatchObject({ actor: 'provider', reason, credentialVersion: 2 });
    expect(item.detail).toContain(words);
    expect(item.detail).toMatch(/Connect again to go on\.$/);
  });
});

describe('the revocation of its tokens there', () => {
  it.each([
    ['done', 'revoked at the provider too'],
    ['unsupported', 'cannot be asked'],
    ['failed', 'Remove it in your account there'],
  ] as const)('that is %s is put in words', (outcome, words) => {
    const event: ConnectionEvent = {
      type: 'integration.revocation_settled',
      data: { ...ABOUT, outcome },
    };
    expect(historyItem(event, SYSTEM)).toMatchObject({
      actor: 'system',
      reason: outcome,
      detail: expect.stringContaining(words),
    });
  });
});

function connected(changes: Partial<Connected> = {}): ConnectionEvent {
  return {
    type: 'integration.connected',
    data: {
      ...ABOUT,
      grantedScopes: ['mailbox.readonly'],
      missingScopes: ['mailbox.send'],
      credentialVersion: 3,
      accountId: 'account-1',
      renewable: true,
      expiresAt: '2030-01-02T04:04:05.678Z',
      ...changes,
    },
  };
}

function failed(
  type: 'integration.degraded' | 'integration.reconnect_required',
  reason: string,
): ConnectionEvent {
  return { type, data: { ...ABOUT, credentialVersion: 1, reason } };
}
