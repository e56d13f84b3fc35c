import { describe, expect, it } from '@jest/globals';
import { fields, line, pretty, table } from './output.js';

const CLEAR_SCREEN = '\u001b[2J';

describe('a table', () => {
  it('has its columns under their titles, and numbers to the right', () => {
    const rows = [
      [9, 'a'],
      [10, 'bcd'],
    ];
    expect(table(['N', 'TEXT'], rows, 'none')).toBe(' N  TEXT\n 9  a\n10  bcd\n');
  });

  it('without rows says so', () => {
    expect(table(['N'], [], 'Nothing.')).toBe('Nothing.\n');
  });
});

it('text of others cannot act on the terminal', () => {
  const escaped = '\\u{1b}[2J';
  expect(table(['A'], [[CLEAR_SCREEN]], '')).toBe(`A\n${escaped}\n`);
  expect(fields({ a: CLEAR_SCREEN })).toBe(`a  ${escaped}\n`);
  expect(pretty({ a: `\u009b2J` })).toBe('{\n  "a": "\\u{9b}2J"\n}\n');
  expect(line({ a: CLEAR_SCREEN })).not.toContain('\u001b');
});

it('fields leave out what has no value', () => {
  expect(fields({ a: 1, long: 'x', b: undefined, c: '' })).toBe('a     1\nlong  x\n');
});
