import { describe, it } from '@jest/globals';
import { specification } from '@junction/eventsourcing/testing';
import { type ClientCommand, clientDecider } from './decider.js';
import type { ClientEvent } from './events.js';

const { given } = specification(clientDecider);
const AT = '2030-01-02T03:04:05.000Z';
const LATER = '2030-01-03T03:04:05.000Z';
const clientId = 'cli_0190d9a0-7a1e-7cc0-8c3e-2b1f4d5e6a7b';
const jwks = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'public' }] };

describe('a client', () => {
  it('is registered once', () => {
    given().when(register).thenEvents(registered);
    given(registered).when(register).thenRefused('client_exists');
  });

  it('gets one secret after another', () => {
    given(registered).when(addSecret).thenEvents(secretAdded(1));
    given(registered, secretAdded(1)).when(addSecret).thenEvents(secretAdded(2));
    given(registered, secretAdded(1), keysSet).when(addSecret).thenEvents(secretAdded(2));
  });

  it('gets keys in place of its secrets', () => {
    given(registered, secretAdded(1)).when(setKeys).thenEvents(keysSet);
  });

  it('ends once, and cannot be changed afterwards', () => {
    given(registered).when(revoke).thenEvents(revoked);
    given(registered, revoked).when(revoke).thenNothing();
    for (const command of [addSecret, setKeys]) {
      given(registered, revoked).when(command).thenRefused('client_not_found');
      given().when(command).thenRefused('client_not_found');
    }
    given(registered, revoked).when(register).thenRefused('client_exists');
  });
});

const facts = {
  clientId,
  name: 'worker',
  grants: [{ audience: 'integrations', scopes: ['tokens:read'] }],
};
const register: ClientCommand = { type: 'RegisterClient', data: { ...facts, at: AT } };
const registered: ClientEvent = { type: 'client.registered', data: { ...facts, at: AT } };
const addSecret: ClientCommand = {
  type: 'AddSecret',
  data: { previousValidUntil: LATER, at: AT },
};
const setKeys: ClientCommand = {
  type: 'SetKeys',
  data: { jwks, secretsValidUntil: LATER, at: AT },
};
const keysSet: ClientEvent = {
  type: 'client.keys_set',
  data: { clientId, jwks, secretsValidUntil: LATER, at: AT },
};
const revoke: ClientCommand = { type: 'RevokeClient', data: { at: AT } };
const revoked: ClientEvent = { type: 'client.revoked', data: { clientId, at: AT } };

function secretAdded(secretVersion: number): ClientEvent {
  return {
    type: 'client.secret_added',
    data: { clientId, secretVersion, previousValidUntil: LATER, at: AT },
  };
}
