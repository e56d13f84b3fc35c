import { describe, expect, it } from '@jest/globals';
import type { IdentityProvider, Integration, IntegrationStatus, Provider } from '../api/types.js';
import { accountsOf, canBePrimary } from './accounts.js';
import { identityProviderOf, serversOf } from './identity-providers.js';

describe('the accounts of a kind', () => {
  const integrations = [
    integration('con_1', 'mailbox', 'active'),
    integration('con_2', 'mailbox', 'revoked'),
    integration('con_3', 'mailbox', 'disconnected'),
    integration('con_4', 'mailbox', 'reconnect_required'),
    integration('con_5', 'calendar', 'active'),
  ];

  it('are current until their user disconnects them, in the order of the service', () => {
    const { current, ended } = accountsOf(integrations, 'mailbox');
    expect(idsOf(current)).toEqual(['con_1', 'con_2', 'con_4']);
    expect(idsOf(ended)).toEqual(['con_3']);
  });

  it('are none before one was connected', () => {
    expect(accountsOf([], 'calendar')).toEqual({ current: [], ended: [] });
  });

  it.each<[IntegrationStatus, boolean]>([
    ['active', true],
    ['degraded', true],
    ['reconnect_required', true],
    ['revoked', false],
    ['disconnected', false],
  ])('that are %s can be the primary: %s', (status, expected) => {
    expect(canBePrimary({ status })).toBe(expected);
  });
});

describe('the identity providers', () => {
  const acme = identityProvider('acme', ['mailbox', 'calendar']);
  const globex = identityProvider('globex', ['mailbox']);

  it('are filtered by kind, in the order of the operator', () => {
    expect(serversOf([globex, acme], 'mailbox')).toEqual([globex, acme]);
    expect(serversOf([globex, acme], 'calendar')).toEqual([acme]);
  });

  it('are found by id', () => {
    expect(identityProviderOf([globex, acme], 'acme')).toBe(acme);
  });

  it('go by their id when they are no longer set up', () => {
    const gone = identityProviderOf([acme], 'initech');
    expect(gone).toEqual({ id: 'initech', display_name: 'initech', icon: null, providers: [] });
  });
});

const idsOf = (integrations: readonly Integration[]) =>
  integrations.map(({ integration_id: id }) => id);

function integration(
  integration_id: string,
  provider: Provider,
  status: IntegrationStatus,
): Integration {
  return {
    integration_id,
    provider,
    identity_provider: 'acme',
    account: 'ada@example.com',
    is_primary: false,
    connected: status === 'active',
    status,
    status_reason: null,
    connected_at: '2026-01-01T00:00:00Z',
    granted_scopes: [],
    missing_scopes: [],
    renewable: true,
    last_refreshed_at: null,
    provider_revocation: null,
  };
}

function identityProvider(id: string, providers: readonly Provider[]): IdentityProvider {
  return { id, display_name: id.toUpperCase(), icon: null, providers };
}
