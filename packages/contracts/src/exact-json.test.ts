import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { InexactNumber, mayBeInexact, parseExactly } from './exact-json.js';

const literals = (text: string): readonly string[] => text.trim().split(/\s+/);

describe('a number of JSON text', () => {
  it.each(
    literals(`
      0 -0.0 0e999 42 0.1 0.10 1e23 1.7976931348623157e308 5e-324 9007199254740992
      9007199254740992.0 900719925474099200e-2 100000000000000000000000`),
  )('that a double holds as it is written is that double: %s', (literal) => {
    expect(parseExactly(literal)).toBe(Number(literal));
  });

  it.each(
    literals(`
      9007199254740993 -9007199254740993 9007199254740992.1 9223372036854775808 1e400 -1e400
      1e-400 1e99999999999999999999 0.1000000000000000055511151231257827`),
  )('that none holds is not the double next to it: %s', (literal) => {
    expect(parseExactly(literal)).toBeInstanceOf(InexactNumber);
  });

  it.each([
    ['9007199254740993', 9007199254740992, 1],
    ['9007199254740993', 9007199254740994, -1],
    ['-9007199254740993', -9007199254740992, -1],
    ['9007199254740992.1', 9007199254740992, 1],
    ['9007199254740991.9', 9007199254740992, -1],
    ['9007199254740993', 5, 1],
    ['1e400', Number.MAX_VALUE, 1],
    ['-1e400', -Number.MAX_VALUE, -1],
    ['1e-400', 0, 1],
    ['-1e-400', 0, -1],
    ['0.1000000000000000055511151231257827', 0.1, 1],
  ])('%s is compared with %d by its own digits', (literal, number, order) => {
    const value = parseExactly(literal) as InexactNumber;
    expect(Math.sign(value.compareTo(number))).toBe(order);
  });

  it('is compared as integers are, however large', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(9), (large, step) => {
        const value = parseExactly(String(large));
        const other = Number(large + BigInt(step) - 4n);
        const decimal = parseExactly(String(other));
        expect(decimal).toBe(other);
        const order =
          value instanceof InexactNumber ? value.compareTo(other) : Number(value) - other;
        // Without exponents the digits decide which order is right.
        if (Math.abs(other) < 1e21) {
          const right = large - BigInt(String(other));
          expect(Math.sign(order)).toBe(right === 0n ? 0 : right > 0n ? 1 : -1);
        }
      }),
    );
  });

  it('is looked at closely wherever a double may not hold it', () => {
    const digits = fc.stringMatching(/^(0|[1-9]\d{0,20})(\.\d{1,8})?([eE][+-]?\d{1,3})?$/);
    fc.assert(
      fc.property(digits, (literal) => {
        if (mayBeInexact(literal)) return;
        expect(parseExactly(`[${literal},9007199254740993]`)).toEqual([
          Number(literal),
          expect.any(InexactNumber),
        ]);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('JSON text with such a number', () => {
  it('reads like any other beside it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        const text = JSON.stringify({ beside: 0, value }, undefined, space).replace(
          '"beside":',
          '"beside":1e400,"beside":',
        );
        expect(parseExactly(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each([
    '{"a":9007199254740993,"a":1}',
    '{"__proto__":{"x":1},"n":["\\"9007199254740993","\\\\",{},[]]}',
    '{"":{"":0},"e":"\\ud83d 1e400"}',
  ])('has the members that JSON.parse finds: %s', (text) => {
    const value = parseExactly(text);
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('is refused where JSON.parse refuses it', () => {
    expect(() => parseExactly('{"a":9007199254740993')).toThrow(SyntaxError);
  });

  it.each([
    ['nested', `${'['.repeat(100_000)}1e400${']'.repeat(100_000)}`],
    ['long', `1${'0'.repeat(250_000)}1`],
    ['fine', `0.${'0'.repeat(250_000)}1`],
  ])('is read, however %s', (_, text) => {
    expect(parseExactly(text)).toBeDefined();
  });
});
