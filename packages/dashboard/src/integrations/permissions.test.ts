import { describe, expect, it } from '@jest/globals';
import { KINDS } from './kinds.js';
import { type Grant, NOTHING_GRANTED, permissionsInShort, permissionsOf } from './permissions.js';

const kind = { scopes: KINDS[0]?.scopes.slice(0, 3) ?? [] };

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

describe('the permissions in short', () => {
  it.each<[Partial<Grant>, string]>([
    [{ granted_scopes: ['mailbox.readonly', 'mailbox.send', 'mailbox.modify'] }, 'All 3 granted'],
    [{ granted_scopes: ['mailbox.readonly', 'mailbox.send'] }, 'All 2 granted'],
    [{ granted_scopes: ['mailbox.readonly'], missing_scopes: ['mailbox.send'] }, '1 of 2 granted'],
    [{ connected: false, granted_scopes: ['mailbox.readonly'] }, '3 will be asked for'],
  ])('are, for %j: %s', (grant, words) => {
    expect(permissionsInShort(all(grant))).toBe(words);
  });
});

const all = (grant: Partial<Grant>) =>
  permissionsOf(kind, { ...NOTHING_GRANTED, connected: true, ...grant });

const statesOf = (grant: Partial<Grant>) =>
  Object.fromEntries(all(grant).map(({ scope, state }) => [scope, state]));
