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

  it('an event counts from the second in which it began', () => {
    expect(meaningFor(end, after(60_000), BEGAN)).toBe(end);
    expect(meaningFor(end, new Date('2030-01-02T03:04:05Z'), BEGAN)).toBe(end);
  });

  it('one from shortly before is reason to ask', () => {
    expect(meaningFor(end, after(-60_000), BEGAN)).toEqual({ kind: 'suspect' });
    expect(meaningFor({ kind: 'none' }, after(-60_000), BEGAN)).toEqual({ kind: 'none' });
  });

  it('an older one has no effect', () => {
    expect(meaningFor(end, after(-6 * 60_000), BEGAN)).toEqual({ kind: 'none' });
    expect(meaningFor({ kind: 'suspect' }, after(-6 * 60_000), BEGAN)).toEqual({ kind: 'none' });
  });
});
