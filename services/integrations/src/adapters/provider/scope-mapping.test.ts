import { describe, expect, it } from '@jest/globals';
import { scopesOf } from './scope-mapping.js';

const NAMES = {
  'mailbox.readonly': 'https://provider.example/metadata',
  'mailbox.send': 'https://provider.example/send',
};

describe('the scopes of an answer', () => {
  it('come in our names, whatever their order', () => {
    const answer = 'https://provider.example/send openid https://provider.example/metadata';
    expect(scopesOf(NAMES, answer)).toEqual({
      grantedScopes: ['mailbox.readonly', 'mailbox.send'],
      missingScopes: [],
    });
  });

  it('say what the user did not allow', () => {
    expect(scopesOf(NAMES, 'openid https://provider.example/metadata')).toEqual({
      grantedScopes: ['mailbox.readonly'],
      missingScopes: ['mailbox.send'],
    });
  });

  it('are all that was asked for when the provider does not say', () => {
    expect(scopesOf(NAMES, undefined).missingScopes).toEqual([]);
  });
});
