import { describe, expect, it } from '@jest/globals';
import { scopesOf, unaskedScopes } from './scope-mapping.js';

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

  it('are none when the provider says so', () => {
    expect(scopesOf(NAMES, '').grantedScopes).toEqual([]);
  });

  it("are Microsoft Graph's with their resource or without, in whatever case", () => {
    const names = {
      'mailbox.readonly': 'https://graph.microsoft.com/Mail.ReadBasic',
      'mailbox.send': 'https://graph.microsoft.com/Mail.Send',
    };
    const answer = 'openid mail.readbasic https://graph.microsoft.com/mail.send User.Read';
    expect(scopesOf(names, answer).missingScopes).toEqual([]);
    expect(unaskedScopes(Object.values(names), answer)).toEqual(['User.Read']);
    expect(scopesOf(names, 'Mail.ReadBasic.Shared Mail.SendAs').grantedScopes).toEqual([]);
  });

  it('say what nobody asked for, but not that an account has a name', () => {
    const answer = 'openid profile https://provider.example/send delete_all delete_all odd"one';
    expect(unaskedScopes(Object.values(NAMES), answer)).toEqual(['delete_all']);
    expect(unaskedScopes(Object.values(NAMES))).toEqual([]);
  });
});
