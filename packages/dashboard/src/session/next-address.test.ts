import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { nextAddress } from './next-address.js';

const HERE = 'https://junction.example';
const HOME = `${HERE}/`;
/** The pieces that browsers read in ways of their own: dots, slashes of both kinds, and what is dropped or decoded. */
const piece = fc.constantFrom(
  '/',
  '//',
  '\\',
  '.',
  '..',
  '%2e',
  '%2f',
  '%5c',
  '\t',
  '\n',
  ' ',
  '@',
  ':',
  '?',
  '#',
  'a',
  'evil.example',
);

describe('the address after sign-in', () => {
  it.each(['/webhooks', '/deliveries?status=held&kind=draft.created'])(
    'is %s when that was wished for',
    (wished) => {
      expect(nextAddress(wished, HERE)).toBe(HERE + wished);
    },
  );

  it.each([
    null,
    undefined,
    '',
    'webhooks',
    '/',
    '/sign-in',
    '/sign-up?next=/sign-in',
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
  ])('is the first page for %j', (wished) => {
    expect(nextAddress(wished, HERE)).toBe(HOME);
  });

  it.each([
    '/.//evil.example',
    '/..//evil.example',
    '/%2e//evil.example',
    '/a/..//evil.example',
    '/.\\/evil.example',
  ])('names no other host for %s', (wished) => {
    expect(nextAddress(wished, HERE)).toBe(`${HERE}//evil.example`);
  });

  it('is of this origin, however a path is written', () => {
    const paths = fc
      .array(piece, { minLength: 1, maxLength: 8 })
      .map((pieces) => `/${pieces.join('')}`);
    fc.assert(
      fc.property(fc.oneof(paths, fc.webUrl(), fc.string()), (wished) => {
        // A browser reads the address once more, from a page of this origin.
        expect(new URL(nextAddress(wished, HERE), `${HERE}/sign-in`).origin).toBe(HERE);
      }),
      { numRuns: 2_000 },
    );
  });
});
