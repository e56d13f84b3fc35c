import { describe, expect, it } from '@jest/globals';
import { metadataProblem } from './metadata.js';

const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`m${n}`, '']));

describe('the metadata of a webhook', () => {
  it.each([[{}], [{ shop: '17', [`${'n'.repeat(39)}é`]: 'v'.repeat(500) }], [members(20)]])(
    'may be %j',
    (metadata) => {
      expect(metadataProblem(metadata)).toBeUndefined();
    },
  );

  it.each([
    [undefined, 'invalid_type'],
    ['text', 'invalid_type'],
    [null, 'invalid_type'],
    [[], 'invalid_type'],
    [members(21), 'too_big'],
  ])('is refused as a whole: %j', (metadata, code) => {
    expect(metadataProblem(metadata)).toEqual({ code, message: expect.any(String) });
  });

  it.each([
    ['', 'v', 'invalid_format'],
    ['n'.repeat(41), 'v', 'invalid_format'],
    ['a\u0000', 'v', 'invalid_format'],
    ['a\ud800', 'v', 'invalid_format'],
    ['__proto__', 'v', 'invalid_format'],
    ['n', 1, 'invalid_type'],
    ['n', null, 'invalid_type'],
    ['n', 'v'.repeat(501), 'too_big'],
    ['n', 'a\nb', 'invalid_format'],
    ['n', 'a\u2028b', 'invalid_format'],
    ['n', 'a\u2029b', 'invalid_format'],
  ])('is refused by the name of the member: %j, %j', (name, value, code) => {
    const metadata = Object.fromEntries([
      ['fine', 'v'],
      [name, value],
    ]);
    expect(metadataProblem(metadata)).toMatchObject({ name: name.slice(0, 40), code });
  });
});
