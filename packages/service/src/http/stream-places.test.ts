import { describe, expect, it } from '@jest/globals';
import { clientNetworks } from './client-network.js';
import { placeFor, type StreamReader } from './stream-places.js';

describe('the places for streams', () => {
  it('are ten of a user, whatever networks they come from', () => {
    const ofUser = opened(9, (n) => reader('ada', `192.0.2.${n}`));
    expect(placeFor(ofUser, reader('ada', '198.51.100.1'))).toEqual([]);
    ofUser.set('tenth', reader('ada', '198.51.100.1'));
    expect(placeFor(ofUser, reader('ada', '198.51.100.2'))).toBeUndefined();
    expect(placeFor(ofUser, reader('bob', '198.51.100.1'))).toEqual([]);
  });

  it('are a hundred of a network, and twice and four times as many of a wide one', () => {
    const ofAddress = opened(100, (n) => reader(`user-${n}`, '192.0.2.1'));
    expect(placeFor(ofAddress, reader('ada', '192.0.2.1'))).toBeUndefined();
    expect(placeFor(ofAddress, reader('ada', '192.0.2.2'))).toEqual([]);
    const ofSite = opened(399, (n) =>
      reader(`user-${n}`, `2001:db8:0:${(n * 128).toString(16)}::1`),
    );
    expect(placeFor(ofSite, reader('ada', '2001:db8:0:ffff::1'))).toEqual([]);
    ofSite.set('last', reader('ada', '2001:db8:0:ffff::1'));
    expect(placeFor(ofSite, reader('bob', '2001:db8:0:fffe::1'))).toBeUndefined();
    expect(placeFor(ofSite, reader('bob', '2001:db8:1:fffe::1'))).toEqual([]);
  });

  it('are taken from whoever has most when all are taken, and never from one who has as few', () => {
    // The first network holds 99, and 401 others hold one each.
    const open = opened(500, (n) => reader(`user-${n}`, n < 99 ? '192.0.2.1' : `10.0.${n}.1`));
    expect(placeFor(open, reader('ada', '198.51.100.1'))).toEqual(['stream-0']);
    expect(placeFor(open, reader('ada', '192.0.2.1'))).toBeUndefined();

    const even = opened(500, (n) => reader(`user-${n}`, `10.${n}.0.1`));
    expect(placeFor(even, reader('ada', '198.51.100.1'))).toBeUndefined();
  });
});

const reader = (userId: string, address: string): StreamReader => ({
  userId,
  networks: clientNetworks(address),
});

/** Returns so many open streams, the oldest first. */
const opened = (count: number, readerOf: (n: number) => StreamReader) =>
  new Map(Array.from({ length: count }, (_, n) => [`stream-${n}`, readerOf(n)]));
