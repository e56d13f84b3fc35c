import { describe, expect, it } from '@jest/globals';
import { folded, unescaped } from './folded-text.js';

describe('a text', () => {
  it.each([
    ['Müller', 'MÜLLER'],
    ['Müller', 'Mu\u0308ller'],
    ['Straße', 'STRASSE'],
    ['Straße', 'STRAẞE'],
    ['İstanbul', 'istanbul'],
    ['İstanbul', 'I\u0307STANBUL'],
    ['ISPARTA', 'ısparta'],
    ['ΟΔΟΣ', 'οδος'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['ﬁn', 'FIN'],
    ['Å', 'a\u030A'],
    ['\u01C4', '\u01C6'],
  ])('is the same in any case and composition: %s, %s', (one, other) => {
    expect(folded(one)).toBe(folded(other));
  });

  it.each([
    ['Müller', 'Muller'],
    ['a', 'b'],
    ['é', 'è'],
  ])('is another with other letters: %s, %s', (one, other) => {
    expect(folded(one)).not.toBe(folded(other));
  });
});

describe('JSON text', () => {
  it.each([
    [String.raw`"M\u00fcller"`, '"Müller"'],
    [String.raw`"\ud83d\uDE00"`, '"😀"'],
    [String.raw`"say \"hi\""`, '"say "hi""'],
    [String.raw`"a\/b"`, '"a/b"'],
    [String.raw`"a\\u00fc\\"`, String.raw`"a\u00fc\"`],
    [String.raw`"\b\f\n\r\t"`, '"\b\f\n\r\t"'],
    ['{"n":1}', '{"n":1}'],
  ])('%s reads %s', (json, text) => {
    expect(unescaped(json)).toBe(text);
  });
});
