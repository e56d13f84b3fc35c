import { expect, it } from '@jest/globals';
import { FlexibleDecoder } from './flexible-versions.js';

/** A field that a reader may not know: number 1, of three bytes. */
const FIELDS = [1, 1, 3, 7, 7, 7];
const ID = Array.from({ length: 16 }, (_, n) => n);

it('an answer of a flexible version is read past the fields that nobody asked for', async () => {
  const bytes = [...FIELDS, 3, 2, 0x61, 0, 2, 0x62, ...FIELDS, 9];
  const read = () => new FlexibleDecoder(Buffer.from(bytes));
  const decoder = read();
  expect(decoder.readArray(() => decoder.readString())).toEqual(['a', 'b']);
  expect(decoder.readUVarInt()).toBe(9);
  const again = read();
  expect(await again.readArrayAsync(async () => again.readString())).toEqual(['a', 'b']);
  expect(again.readUVarInt()).toBe(9);
});

it('an answer of a flexible version has bytes, lists of numbers and ids, each of which may be absent', () => {
  const numbers = [3, 0, 0, 0, 5, 0, 0, 0, 6];
  const decoder = new FlexibleDecoder(
    Buffer.from([0, 0, 2, 0x61, 0, ...numbers, ...ID, ...ID.map(() => 0)]),
  );
  expect(decoder.readBytes()).toBeNull();
  expect(decoder.readBytes()).toEqual(Buffer.from('a'));
  expect(decoder.readInts()).toEqual([]);
  expect(decoder.readInts()).toEqual([5, 6]);
  expect(decoder.readTopicId()).toBe('AAECAwQFBgcICQoLDA0ODw');
  expect(decoder.readTopicId()).toBeUndefined();
});
