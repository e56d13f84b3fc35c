import { describe, expect, it } from '@jest/globals';
import { headerLines, headersOf } from './response-headers.js';

describe('the headers of a response', () => {
  it('are kept in their order, a repeated one as often as it came', () => {
    const kept = headerLines([
      ['date', 'today'],
      ['set-cookie', 'a=1; b'],
      ['set-cookie', 'c'],
      ['empty', ''],
    ]);
    expect(headersOf(kept)).toEqual([
      ['date', 'today'],
      ['set-cookie', 'a=1; b'],
      ['set-cookie', 'c'],
      ['empty', ''],
    ]);
  });

  it('are kept up to 4 KiB, none of them cut', () => {
    const kept = headerLines([
      ['first', 'x'.repeat(4_000)],
      ['second', 'y'.repeat(200)],
      ['third', 'z'],
    ]);
    expect(headersOf(kept).map(([name]) => name)).toEqual(['first']);
  });

  it('are none when no header came', () => {
    expect(headersOf(headerLines([]))).toEqual([]);
  });
});
