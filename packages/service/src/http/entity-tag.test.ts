import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { ifMatchOf } from './entity-tag.js';

const asked = (header?: string) => ({ get: () => header }) as unknown as Request;

describe('If-Match', () => {
  it.each([
    [undefined, undefined],
    ['*', undefined],
    ['"3"', [3]],
    [' "3" , "12" ', [3, 12]],
    ['W/"3"', []],
    ['"xyzzy"', []],
    ['""', []],
    [',"3",, "4" ,', [3, 4]],
    ['"3-x_Y-9"', [3]],
    ['"a,b", "4"', [4]],
  ])('%s names the versions %j', (header, versions) => {
    expect(ifMatchOf(asked(header))).toEqual(versions);
  });

  it.each(['3', '"3', '"3" "4"', '', ',', '"a b"', '*, "3"', 'w/"3"'])(
    '%j is refused',
    (header) => {
      expect(() => ifMatchOf(asked(header))).toThrow(
        expect.objectContaining({ kind: 'invalid', code: 'invalid_if_match' }),
      );
    },
  );
});
