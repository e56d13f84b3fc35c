import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { inCheckout } from './in-checkout.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const OXLINT = path.join(ROOT, 'node_modules/.bin/oxlint');
const RULES = readFileSync(path.join(ROOT, '.oxlintrc.json'), 'utf8');

/** Modules that read from outside without a bound, one for each way. */
const UNBOUNDED: [way: string, rule: string, text: string][] = [
  ['fetch', 'no-restricted-globals', "export const answer = fetch('https://issuer.example');"],
  ['a default', 'no-restricted-globals', 'export const send = (by = fetch) => by;'],
  [
    'globalThis',
    'no-restricted-properties',
    "export const x = globalThis.fetch('https://a.example');",
  ],
  ['json()', 'no-restricted-properties', 'export const x = (answer: Response) => answer.json();'],
  ['jose', 'no-restricted-imports', "export { createRemoteJWKSet } from 'jose';"],
  [
    'undici',
    'no-restricted-imports',
    "import { request } from 'undici';\nexport const x = request;",
  ],
];
const PLACES = ['services/auth/src/adapters/keys.ts', 'packages/service/src/keys.ts'];

describe('shipped code', () => {
  it.each(UNBOUNDED)('reads nothing from outside without a bound, by %s', (_, rule, text) => {
    for (const place of PLACES) expect(refusals(place, text)).toEqual([`eslint(${rule})`]);
  });

  it('reads by a fetch that it was given, and answers as Express does', () => {
    const text =
      "export const x = (send: typeof globalThis.fetch) => send('https://a.example');\n" +
      'export const y = (res: { json: (body: object) => void }) => res.json({});';
    for (const place of PLACES) expect(refusals(place, text)).toEqual([]);
  });
});

it.each(['services/auth/test/keys.ts', 'packages/demo/src/keys.ts'])(
  'code that is not shipped may read as it likes: %s',
  (place) => expect(refusals(place, "export const x = fetch('https://a.example');")).toEqual([]),
);

/** Returns the rules of this repository that a file of this text breaks at this place. */
function refusals(place: string, text: string): readonly string[] {
  const files = { '.oxlintrc.json': RULES, [place]: text };
  return inCheckout(files, (cwd) => {
    const { stdout } = spawnSync(OXLINT, ['--format', 'json', place], { cwd, encoding: 'utf8' });
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly { code: string }[] };
    return diagnostics.map(({ code }) => code).filter((code) => code.includes('no-restricted'));
  });
}
