import { describe, expect, it } from '@jest/globals';
import type { Integration } from '../api/types.js';
import { permissionsOf } from './permissions.js';
import { PROVIDERS } from './providers.js';

const provider = { scopes: PROVIDERS[0]?.scopes.slice(0, 3) ?? [] };

describe('the permissions of an integration', () => {
  it('are granted, refused or not used here', () => {
    const states = statesOf({
      granted_scopes: ['mailbox.readonly'],
      missing_scopes: ['mailbox.send'],
    });
    expect(states).toEqual({
      'mailbox.readonly': 'granted',
      'mailbox.send': 'refused',
      'mailbox.modify': 'absent',
    });
  });

  it('will all be asked for while it is not connected, whatever was granted once', () => {
    const states = statesOf({ connected: false, granted_scopes: ['mailbox.readonly'] });
    expect(new Set(Object.values(states))).toEqual(new Set(['asked']));
  });

  it('include one that this page has no words for', () => {
    expect(statesOf({ granted_scopes: ['mailbox.archive'] })).toMatchObject({
      'mailbox.archive': 'granted',
    });
  });
});

function statesOf(more: Partial<Integration>) {
  const integration: Integration = {
    provider: 'mailbox',
    connected: true,
    status: 'active',
    ...more,
  };
  return Object.fromEntries(
    permissionsOf(provider, integration).map(({ scope, state }) => [scope, state]),
  );
}
