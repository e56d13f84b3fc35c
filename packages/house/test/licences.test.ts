import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
}

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** Licences that demand that their notice is kept, and nothing of the software that builds upon them. */
const PERMISSIVE =
  '0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause CC0-1.0 ISC MIT MIT-0 Unlicense';

/** Vite's compiler of style sheets (MPL-2.0): nothing of it gets into what it writes. */
const COMPILER = /^node_modules\/lightningcss\b/;

it('builds what it ships on permissive licences alone', () => {
  const file = path.join(ROOT, 'package-lock.json');
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const shipped = Object.entries(packages).filter(
    ([place, { dev, devOptional, link }]) =>
      place.includes('node_modules/') && !COMPILER.test(place) && !dev && !devOptional && !link,
  );
  expect(shipped.length).toBeGreaterThan(150);
  const others = shipped
    .map(([place, { license = olderForm(place) }]) => ({ place, license }))
    .filter(({ license }) => !isPermissive(license));
  expect(others).toEqual([]);
});

it.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['(Apache-2.0 AND BSD-3-Clause)', true],
  ['MIT AND LGPL-2.1-only', false],
  ['GPL-3.0-only', false],
  ['', false],
])('takes “%s” for permissive: %s', (license, expected) => {
  expect(isPermissive(license)).toBe(expected);
});

/** Returns the licences in the form that packages used before SPDX, which the lock file leaves out. */
function olderForm(place: string): string {
  const { licenses = [] } = JSON.parse(
    readFileSync(path.join(ROOT, place, 'package.json'), 'utf8'),
  ) as { licenses?: readonly { readonly type: string }[] };
  return licenses.map(({ type }) => type).join(' OR ');
}

/** Reads the few forms of SPDX expressions that packages use: a choice, or all of several. */
const isPermissive = (license: string): boolean =>
  license
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((one) => PERMISSIVE.split(' ').includes(one)));
