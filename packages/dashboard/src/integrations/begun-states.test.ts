import { describe, expect, it } from '@jest/globals';
import { forgetBegun, isBegunHere, rememberBegun } from './begun-states.js';

const MAILBOX = { identityProvider: 'acme', provider: 'mailbox' } as const;

describe('the authorizations begun in this tab', () => {
  it('are known by their state, for their own client', () => {
    const kept = storage();
    rememberBegun(kept, MAILBOX, 's-1');
    expect(isBegunHere(kept, MAILBOX, 's-1')).toBe(true);
    expect(isBegunHere(kept, MAILBOX, 's-2')).toBe(false);
    expect(isBegunHere(kept, { ...MAILBOX, provider: 'calendar' }, 's-1')).toBe(false);
    expect(isBegunHere(kept, { ...MAILBOX, identityProvider: 'globex' }, 's-1')).toBe(false);
  });

  it('stay good when another one is begun, as far as the service keeps them', () => {
    const kept = storage();
    for (let n = 1; n <= 11; n++) rememberBegun(kept, MAILBOX, `s-${n}`);
    expect(isBegunHere(kept, MAILBOX, 's-1')).toBe(false);
    expect(isBegunHere(kept, MAILBOX, 's-2')).toBe(true);
    expect(isBegunHere(kept, MAILBOX, 's-11')).toBe(true);
  });

  it('are forgotten together', () => {
    const kept = storage();
    rememberBegun(kept, MAILBOX, 's-1');
    forgetBegun(kept, MAILBOX);
    expect(isBegunHere(kept, MAILBOX, 's-1')).toBe(false);
  });

  it.each(['{', '{"s-1":1}', '[1]'])('are none when what was kept is %s', (text) => {
    expect(isBegunHere(storage(text), MAILBOX, 's-1')).toBe(false);
  });
});

function storage(text?: string) {
  const items = new Map(text === undefined ? [] : [['junction-begun-acme-mailbox', text]]);
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
}
