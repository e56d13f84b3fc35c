import { describe, expect, it } from '@jest/globals';
import { clientName, clientNamed, isProvider } from './events.js';

describe('a client', () => {
  it('is found again by its name', () => {
    const client = { identityProvider: 'acme', provider: 'mailbox' } as const;
    expect(clientName(client)).toBe('acme/mailbox');
    expect(clientNamed('acme/mailbox')).toEqual(client);
  });
});

describe('a kind of account', () => {
  it.each([
    ['mailbox', true],
    ['calendar', true],
    ['contacts', false],
  ])('%s is served: %s', (name, isServed) => {
    expect(isProvider(name)).toBe(isServed);
  });
});
