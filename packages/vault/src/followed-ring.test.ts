import { describe, expect, it } from '@jest/globals';
import { followedRing } from './followed-ring.js';
import { type KeyRing, keyRing } from './key-ring.js';
import { openWithRing, sealWithRing } from './ring-seal.js';

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64url');
const OLD = `k1:${key(1)}`;
const BOTH = `k2:${key(2)},${OLD}`;
const SECRET = Buffer.from('the refresh token');

describe('a ring that is followed', () => {
  it('seals with the key that was put in front, and opens what the one before has sealed', async () => {
    const { ring, write } = follow();
    const sealed = sealWithRing(ring, SECRET, 'a');
    expect(await ring.lookAgain()).toBe(false);

    write(BOTH);
    expect(ring.newest.id).toBe('k1');
    expect(await ring.lookAgain()).toBe(true);
    expect([ring.newest.id, ring.ids]).toEqual(['k2', ['k2', 'k1']]);
    expect(openWithRing(ring, sealed, 'a')).toEqual(SECRET);
    expect(openWithRing(keyRing(BOTH), sealWithRing(ring, SECRET, 'a'), 'a')).toEqual(SECRET);
  });

  it('opens at once what another replica has sealed with a key that was read there before', () => {
    const { ring, write } = follow();
    const sealed = sealWithRing(keyRing(BOTH), SECRET, 'a');
    expect(() => openWithRing(ring, sealed, 'a')).toThrow('no key "k2"');

    write(BOTH);
    expect(openWithRing(ring, sealed, 'a')).toEqual(SECRET);
    expect(ring.newest.id).toBe('k1');
  });

  it('stays as it was while the text cannot be used, and shows none of it', async () => {
    const { ring, write } = follow();
    write(`k2:${key(2)},k1`);
    const refused = ring.lookAgain();
    await expect(refused).rejects.toMatchObject({ code: 'invalid_key_ring' });
    await expect(refused).rejects.not.toThrow(key(2).slice(0, 8));
    expect([ring.ids, ring.find('k2')]).toEqual([['k1'], undefined]);

    write(BOTH);
    await ring.lookAgain();
    expect(ring.ids).toEqual(['k2', 'k1']);
  });

  it('stays as it was while the new ring is not accepted, and tries again', async () => {
    let asked = 0;
    const { ring, write } = follow(async ({ ids }) => {
      asked += 1;
      if (!ids.includes('k1')) throw new Error('k1 is still needed');
    });
    write(`k2:${key(2)}`);
    await expect(ring.lookAgain()).rejects.toThrow('still needed');
    await expect(ring.lookAgain()).rejects.toThrow('still needed');
    expect([ring.newest.id, asked]).toEqual(['k1', 2]);
  });
});

function follow(accept: (ring: KeyRing) => Promise<void> = async () => undefined) {
  let text = OLD;
  const ring = followedRing(text, keyRing(text), { read: () => text, accept });
  const write = (next: string) => {
    text = next;
  };
  return { ring, write };
}
