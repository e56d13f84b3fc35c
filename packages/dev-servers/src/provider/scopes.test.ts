import { describe, expect, it } from '@jest/globals';
import { PROFILES } from './profile.js';
import { inPlainWords, scopesOf, supportedScopes } from './scopes.js';

describe('the scopes of a request', () => {
  it('are those that this provider knows, in its order', () => {
    expect(scopesOf('calendar.events fax openid')).toEqual(['calendar.events', 'openid']);
    expect(scopesOf(undefined)).toEqual([]);
  });

  it('are not what every object has', () => {
    expect(scopesOf('openid constructor toString')).toEqual(['openid']);
    expect(inPlainWords('constructor')).toBe('constructor');
  });
});

it.each(PROFILES)('the scopes of $name have words for the consent page', (profile) => {
  const known = supportedScopes(profile);
  expect(scopesOf(known.join(' '))).toEqual(known);
});
