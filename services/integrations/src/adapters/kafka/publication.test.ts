import { describe, expect, it } from '@jest/globals';
import { validateUserEvent } from '@junction/contracts';
import type { ConnectionEvent } from '../../domain/connection/events.js';
import { INTEGRATIONS_SOURCE, publishConnectionEvent } from './publication.js';

const AT = '2030-01-02T03:04:05.678Z';
const USER = '5f0c1c1e-0000-4000-8000-000000000001';
const ABOUT = {
  userId: USER,
  identityProvider: 'acme',
  provider: 'mailbox' as const,
  account: 'ada@example.com',
  at: AT,
};
const TOKEN = { grantedScopes: [], missingScopes: [], credentialVersion: 1, expiresAt: AT };
const ACCOUNT = { accountId: 'account-1', renewable: true };

const connected: ConnectionEvent = {
  type: 'integration.connected',
  data: { ...ABOUT, ...TOKEN, ...ACCOUNT },
};
const revoked: ConnectionEvent = {
  type: 'integration.revoked',
  data: { ...ABOUT, credentialVersion: 1, reason: 'tokens_revoked' },
};
const reconnect: ConnectionEvent = {
  type: 'integration.reconnect_required',
  data: { ...ABOUT, credentialVersion: 1, reason: 'invalid_grant' },
};
const degraded: ConnectionEvent = {
  type: 'integration.degraded',
  data: { ...ABOUT, credentialVersion: 1, reason: 'http_503' },
};
const recovered: ConnectionEvent = { type: 'integration.recovered', data: ABOUT };
const ended = (reason: 'user' | 'user_deleted'): ConnectionEvent => ({
  type: 'integration.disconnected',
  data: { ...ABOUT, reason },
});

describe('publishing what happens to a connection', () => {
  it.each([
    ['integration.connected', undefined, connected],
    ['integration.degraded', 'http_503', degraded],
    ['integration.recovered', undefined, recovered],
    ['integration.reconnect_required', 'invalid_grant', reconnect],
    ['integration.disconnected', 'tokens_revoked', revoked],
    ['integration.disconnected', 'user', ended('user')],
  ] as const)('notifies its user of %s (%s)', (kind, reason, event) => {
    const notice = published(event).at(-1);
    expect(notice).toMatchObject({
      topic: 'user.events.v1',
      key: USER,
      type: kind,
      sequenced: false,
    });
    const data: unknown = JSON.parse(String(notice?.payload));
    expect(data).toEqual({
      provider: 'mailbox',
      integration_id: 'con_1',
      identity_provider: 'acme',
      account: 'ada@example.com',
      occurred_at: AT,
      ...(reason !== undefined && { reason }),
    });
    const verdict = validateUserEvent({
      key: USER,
      headers: {
        ce_specversion: '1.0',
        ce_id: 'id',
        ce_source: INTEGRATIONS_SOURCE,
        ce_type: kind,
        ce_subject: USER,
      },
      value: notice?.payload ?? null,
      timestamp: new Date(AT),
    });
    expect(verdict).toMatchObject({ ok: true });
  });

  it('publishes it under its own name, with its version in the stream, and names the account to its user alone', () => {
    for (const event of [connected, reconnect, revoked, ended('user')]) {
      const [record, notice] = published(event);
      expect(record).toMatchObject({
        topic: 'integrations.events.v1',
        key: 'con_1',
        type: event.type,
        sequenced: true,
      });
      expect(record?.payload.toString()).not.toMatch(/ada@|account-1/);
      expect(notice?.payload.toString()).not.toContain('account-1');
    }
  });

  it('keeps it between us and its user while refreshes only fail and work again', () => {
    for (const event of [degraded, recovered]) {
      expect(published(event)).toMatchObject([{ topic: 'user.events.v1', type: event.type }]);
    }
  });

  it('does not notify a user who was deleted', () => {
    expect(published(ended('user_deleted'))).toMatchObject([{ topic: 'integrations.events.v1' }]);
    expect(published({ type: 'integration.deleted', data: ABOUT })).toEqual([]);
  });
});

function published(event: ConnectionEvent) {
  const place = { streamId: 'connection-con_1', eventId: 'e1', index: 0, data: event.data };
  return [publishConnectionEvent(event, place) ?? []].flat();
}
