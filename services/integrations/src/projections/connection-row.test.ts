import { describe, expect, it } from '@jest/globals';
import type { ConnectionEvent } from '../domain/connection/events.js';
import { type ConnectionRow, connectionRow } from './connection-row.js';

const AT = '2030-01-02T03:04:05.678Z';
const LATER = '2030-01-02T04:04:05.678Z';
const ABOUT = {
  userId: 'u1',
  identityProvider: 'acme',
  provider: 'calendar' as const,
  account: 'ada@example.com',
  at: LATER,
};

describe('the row of a connection', () => {
  it('begins with what was granted', () => {
    expect(after(connected)).toMatchObject({
      connection_id: 'con_1',
      user_id: 'u1',
      provider: 'calendar',
      status: 'active',
      status_reason: null,
      credential_version: 1,
      account: 'ada@example.com',
      connected_at: new Date(AT),
    });
  });

  it('says why it is not well, until it is', () => {
    const degraded = event('integration.degraded', { reason: 'timeout', credentialVersion: 1 });
    expect(after(connected, degraded)).toMatchObject({
      status: 'degraded',
      status_reason: 'timeout',
    });
    expect(after(connected, degraded, event('integration.recovered', {}))).toMatchObject({
      status: 'active',
      status_reason: null,
    });
  });

  it('says whether its tokens were revoked there, once it was ended here with tokens', () => {
    const disconnected = event('integration.disconnected', { reason: 'user' });
    const outcome = event('integration.revocation_settled', { outcome: 'unsupported' });
    const revocation = (...events: ConnectionEvent[]) =>
      after(connected, ...events)?.provider_revocation;
    expect(revocation()).toBeNull();
    expect(revocation(disconnected)).toBe('pending');
    expect(revocation(disconnected, outcome)).toBe('unsupported');
    expect(revocation(disconnected, outcome, connected)).toBeNull();
    const refused = event('integration.reconnect_required', {
      reason: 'invalid_grant',
      credentialVersion: 1,
    });
    expect(revocation(refused, disconnected)).toBeNull();
  });

  it('says when it was made the primary one of its kind', () => {
    expect(after(connected)?.primary_at).toBeNull();
    const first = { ...connected, data: { ...connected.data, madePrimary: true } } as const;
    expect(after(first, connected)?.primary_at).toEqual(new Date(AT));
    const made = event('integration.made_primary', {});
    expect(after(connected, made, connected)?.primary_at).toEqual(new Date(LATER));
  });

  it('stays when the connection ends, and goes when its user does', () => {
    const disconnected = event('integration.disconnected', { reason: 'user' });
    expect(after(connected, disconnected)).toMatchObject({ status: 'disconnected' });
    const revoked = event('integration.revoked', { reason: 'inactive', credentialVersion: 1 });
    expect(after(connected, revoked)).toMatchObject({
      status: 'revoked',
      status_reason: 'inactive',
    });
    expect(after(connected, disconnected, event('integration.deleted', {}))).toBeUndefined();
  });
});

const connected: Extract<ConnectionEvent, { type: 'integration.connected' }> = {
  type: 'integration.connected',
  data: {
    ...ABOUT,
    at: AT,
    credentialVersion: 1,
    grantedScopes: ['calendar.readonly'],
    missingScopes: [],
    accountId: 'account-1',
    renewable: true,
    expiresAt: LATER,
  },
};

function event(type: ConnectionEvent['type'], data: object): ConnectionEvent {
  return { type, data: { ...ABOUT, ...data } } as ConnectionEvent;
}

function after(...events: readonly ConnectionEvent[]): ConnectionRow | undefined {
  const at = { streamId: 'connection-con_1', version: 1, recordedAt: new Date(AT) };
  let row: ConnectionRow | undefined;
  for (const one of events) row = connectionRow.evolve(row, one, at);
  return row;
}
