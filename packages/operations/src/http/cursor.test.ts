import { describe, expect, it } from '@jest/globals';
import { cursorOf, positionOf } from './cursor.js';

describe('a cursor', () => {
  it('comes back as the place it was made of', () => {
    const place = { tx: 7512n, position: 2n ** 63n - 1n };
    expect(positionOf(cursorOf(place))).toEqual(place);
  });

  it.each(['', '7512', '7512.x', '-1.2', '1.2.3', `1.${'9'.repeat(19)}`, `${'9'.repeat(20)}.1`])(
    'that reads "%s" is refused',
    (text) => expect(() => positionOf(text)).toThrow('no cursor'),
  );
});
