import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { foldsOf, indentJson, partsOf } from './indent-json.js';

describe('indented JSON', () => {
  it('is what JSON.stringify would indent', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        expect(indentJson(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
      }),
    );
  });

  it('keeps numbers, escapes and doubled keys as they were written', () => {
    const text = '{"n":12345678901234567890.10,"a":"\\u0041 {,}","a":1E2}';
    expect(indentJson(text)).toBe(
      '{\n  "n": 12345678901234567890.10,\n  "a": "\\u0041 {,}",\n  "a": 1E2\n}',
    );
  });

  it('can hold one long string, escapes and all', () => {
    const text = JSON.stringify({ long: '\\"x'.repeat(80_000) });
    expect(JSON.parse(indentJson(text))).toEqual(JSON.parse(text));
  });

  it.each(['', 'no json', '{"open":', '<b>'])('leaves %j alone', (text) => {
    expect(indentJson(text)).toBe(text);
  });
});

describe('indented JSON', () => {
  const lines = indentJson('{"a":{"b":[1,"]"]},"c":[]}').split('\n');

  it('says where each object and array ends', () => {
    expect([...foldsOf(lines)].map(([from, to]) => [lines[from], lines[to]])).toEqual([
      ['    "b": [', '    ]'],
      ['  "a": {', '  },'],
      ['{', '}'],
    ]);
  });

  it('tells names from strings, numbers and literals, and loses no character', () => {
    const line = String.raw`  "a\"b": "c: 1", -1.5e3, null`;
    expect(partsOf(line).filter(({ kind }) => kind)).toEqual([
      { text: String.raw`"a\"b"`, kind: 'name' },
      { text: '"c: 1"', kind: 'string' },
      { text: '-1.5e3', kind: 'number' },
      { text: 'null', kind: 'literal' },
    ]);
    expect(
      partsOf(line)
        .map(({ text }) => text)
        .join(''),
    ).toBe(line);
  });
});
