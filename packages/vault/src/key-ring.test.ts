import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { keyRing } from './key-ring.js';

const KEY_1 = Buffer.alloc(32, 1).toString('base64url');
const KEY_2 = Buffer.alloc(32, 2).toString('base64url');

describe('a key ring', () => {
  it('seals with its first key and finds them all', () => {
    const ring = keyRing(`k2:${KEY_2}, k1:${KEY_1}`);

    expect(ring.newest.id).toBe('k2');
    expect(ring.newest.key.export()).toEqual(Buffer.alloc(32, 2));
    expect(ring.find('k1')?.key.export()).toEqual(Buffer.alloc(32, 1));
    expect(ring.find('k3')).toBeUndefined();
  });

  it('shows no key when it is printed or serialised', () => {
    const ring = keyRing(`k1:${KEY_1}`);
    const shown = inspect(ring, { depth: 9, showHidden: true }) + JSON.stringify(ring.newest);

    expect(shown).toContain('k1');
    expect(shown).not.toContain(KEY_1.slice(0, 8));
    expect(shown).not.toContain('01 01 01');
  });

  it.each([
    ['', 'entry 1 does not begin with an id'],
    [KEY_1, 'entry 1 does not begin with an id'],
    [`:${KEY_1}`, 'entry 1 does not begin with an id'],
    [`${KEY_1}:k1`, 'entry 1 does not begin with an id'],
    [`k2:${KEY_2},`, 'entry 2 does not begin with an id'],
    [`k1:${KEY_1}=`, 'the key of entry 1 is not base64url'],
    [`k1:${Buffer.alloc(32, 255).toString('base64')}`, 'the key of entry 1 is not base64url'],
    ['k1:', 'the key of entry 1 has 0 bytes'],
    [`k2:${KEY_2},k1:${KEY_1.slice(0, 40)}`, 'the key of entry 2 has 30 bytes'],
    [`k1:${KEY_1},k1:${KEY_2}`, 'two of its keys have the same id'],
    [Array.from({ length: 17 }, (_, n) => `k${n}:${KEY_1}`).join(','), 'more than 16 keys'],
  ])('that is not usable is told by its mistake and never by its text: %#', (text, mistake) => {
    const refused = refusalOf(text);

    expect(refused).toMatchObject({ code: 'invalid_key_ring' });
    expect(refused.message).toContain(mistake);
    expect(refused.message).not.toContain(KEY_1.slice(0, 8));
    expect(refused.message).not.toContain(KEY_2.slice(0, 8));
  });
});

function refusalOf(text: string): Error {
  try {
    keyRing(text);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('The ring was taken.');
}
