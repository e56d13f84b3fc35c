import { describe, expect, it } from '@jest/globals';
import { meaningFor, meaningOf } from './security-event.js';

const BEGAN = new Date('2030-01-02T03:04:05.678Z');
const after = (ms: number) => new Date(BEGAN.getTime() + ms);

describe('a security event', () => {
  it.each([
    ['token-revoked', { kind: 'end', reason: 'token_revoked' }],
    ['tokens-revoked', { kind: 'end', reason: 'tokens_revoked' }],
    ['account-disabled', { kind: 'end', reason: 'account_disabled' }],
    ['account-purged', { kind: 'end', reason: 'account_purged' }],
    ['session-revoked', { kind: 'suspect' }],
    ['sessions-revoked', { kind: 'suspect' }],
    ['credential-compromise', { kind: 'suspect' }],
    ['account-credential-change-required', { kind: 'suspect' }],
    ['credential-change', { kind: 'suspect' }],
    ['verification', { kind: 'none' }],
    ['constructor', { kind: 'none' }],
  ])('%s means %p', (name, meaning) => {
    expect(meaningOf([name])).toEqual(meaning);
  });

  it('that tells several things means the gravest', () => {
    expect(meaningOf(['verification', 'session-revoked'])).toEqual({ kind: 'suspect' });
    expect(meaningOf(['session-revoked', 'tokens-revoked', 'account-disabled'])).toEqual({
      kind: 'end',
      reason: 'account_disabled',
    });
  });
});

describe('for a connection', () => {
  const end = meaningOf(['tokens-revoked']);

  /** A provider counts whole seconds: from the one in which the connection began. */
  it.each([
    [60, end],
    [0, end],
    [-1, { kind: 'suspect' }],
    [-300, { kind: 'suspect' }],
    [-301, { kind: 'none' }],
  ])('an event %i s after it began means %p', (seconds, meaning) => {
    const began = new Date('2030-01-02T03:04:05Z').getTime();
    expect(meaningFor(end, new Date(began + seconds * 1_000), BEGAN)).toEqual(meaning);
  });

  it('an event that means less means no more for its time', () => {
    expect(meaningFor({ kind: 'none' }, after(-60_000), BEGAN)).toEqual({ kind: 'none' });
    expect(meaningFor({ kind: 'suspect' }, after(-6 * 60_000), BEGAN)).toEqual({ kind: 'none' });
  });
});
