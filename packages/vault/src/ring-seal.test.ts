import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { keyRing } from './key-ring.js';
import { openWithRing, sealWithRing, wrapWithRing } from './ring-seal.js';

const [KEY_1, KEY_2] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64url'));
const ring = keyRing(`k1:${KEY_1}`);
const secret = Buffer.from('the secret');

/** As `unit: 'binary'`, of which fast-check makes a table that takes a second. */
const anyCharacter = fc.nat(0x10_ffff).map((code) => String.fromCodePoint(code));

describe('a value that a ring has sealed', () => {
  it('opens to the same bytes in the same context', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 4_096 }),
        fc.string({ unit: anyCharacter }),
        (bytes, aad) => {
          const plaintext = Buffer.from(bytes);
          expect(openWithRing(ring, sealWithRing(ring, plaintext, aad), aad)).toEqual(plaintext);
        },
      ),
    );
  });

  it('opens in no other context', () => {
    const sealed = sealWithRing(ring, secret, 'answers/1/body');
    expect(() => openWithRing(ring, sealed, 'answers/2/body')).toThrow(unreadable);
    expect(() => openWithRing(ring, sealed, '')).toThrow(unreadable);
  });

  it('does not open when one bit of it is changed, wherever it is', () => {
    const sealed = sealWithRing(ring, secret, 'place');
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(() => openWithRing(ring, changed, 'place')).toThrow(
        expect.objectContaining({ name: 'VaultError' }),
      );
    }
  });

  it('does not open when it is shortened or extended', () => {
    const sealed = sealWithRing(ring, secret, 'place');
    for (let length = 0; length < sealed.length; length++) {
      expect(() => openWithRing(ring, sealed.subarray(0, length), 'place')).toThrow(
        expect.objectContaining({ name: 'VaultError' }),
      );
    }
    const longer = Buffer.concat([sealed, Buffer.of(0)]);
    expect(() => openWithRing(ring, longer, 'place')).toThrow(unreadable);
  });

  it('is different each time, and holds nothing of the secret', () => {
    const sealed = sealWithRing(ring, secret, 'place');
    expect(sealed.equals(sealWithRing(ring, secret, 'place'))).toBe(false);
    expect(sealed.includes(secret.subarray(0, 4))).toBe(false);
  });

  it('opens with a newer ring that still holds its key', () => {
    const sealed = sealWithRing(ring, secret, 'place');
    expect(openWithRing(keyRing(`k2:${KEY_2},k1:${KEY_1}`), sealed, 'place')).toEqual(secret);
  });

  it('names the missing key by its id when the ring lost it', () => {
    const sealed = sealWithRing(ring, secret, 'place');
    expect(() => openWithRing(keyRing(`k2:${KEY_2}`), sealed, 'place')).toThrow(
      expect.objectContaining({ code: 'unknown_key', message: expect.stringContaining('"k1"') }),
    );
  });

  it('does not open under another key of the same id', () => {
    const sealed = sealWithRing(ring, secret, 'place');
    expect(() => openWithRing(keyRing(`k1:${KEY_2}`), sealed, 'place')).toThrow(unreadable);
  });

  it('does not open for another purpose: a data key is no value', () => {
    const wrapped = wrapWithRing(ring, 'data-key', secret, 'place');
    expect(() => openWithRing(ring, wrapped, 'place')).toThrow(unreadable);
  });
});

const unreadable = expect.objectContaining({ code: 'unreadable' });
