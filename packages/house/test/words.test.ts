import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const GLOSSARY = 'docs/glossary.md';
const HAND_WRITTEN = ['*.ts', '*.tsx', '*.mjs', ':!*/gen/*', ':!*words.test.ts'];

describe('the words of the glossary', () => {
  it('have no synonyms in code, comments and pages', () => {
    expect(retired.length).toBeGreaterThan(10);
    expect(linesWith(retired)).toEqual([]);
  });

  it('would be found', () => {
    expect(linesWith(['use case'])).not.toEqual([]);
  });
});

const OPTION = /trace_context|traceContext/;
/** Names, the files among which they are looked for, and how many of those may know them at most. */
const PLACES: readonly [string, RegExp, RegExp, number][] = [
  ['an option of a webhook', OPTION, /./, 11],
  // Without the files that do as the option says.
  ['one that is stored and shown', OPTION, /^(?!packages\/docs\/|.*\/(sending|history)\/)/, 8],
  ['a field of a connection', /status_reason|statusReason/, /./, 10],
  ['a field of a user', /trouble_mails|troubleMails/, /./, 10],
  [
    'a field of an API key',
    /previous_valid_until|previousValidUntil/,
    /api-?_?key|auth\/v1|publication/,
    10,
  ],
  ['a field of a client', /\bgrants\b/, /^(services\/auth|packages\/cli)\//, 12],
  ['a filter of the deliveries', /sent_again|isSentAgain/, /history|deliveries/, 5],
];

it.each(PLACES)('%s stands in few hand-written files', (_, name, among, most) => {
  const source = [...HAND_WRITTEN, '*.proto', ':!*.test.ts', ':!*/test/*'];
  const files = grep('-lE', name.source, '--', ...source).filter((file) => among.test(file));
  expect(files.length).toBeGreaterThan(1);
  expect(files.length > most ? files : []).toEqual([]);
});

/** Retired words: those in the glossary's last column. */
const retired = readFileSync(path.join(ROOT, GLOSSARY), 'utf8')
  .split('\n')
  .flatMap((line) => [...(line.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)])
  .flatMap(([, word]) => word ?? []);

/** `file:line:text` of every tracked text that bears one of the words, tests and generated code apart. */
function linesWith(words: readonly string[]): readonly string[] {
  const patterns = words.flatMap((word) => ['-e', word]);
  const places = [...HAND_WRITTEN, '*.md', `:!${GLOSSARY}`];
  return grep('-nIF', ...patterns, '--', ...places);
}

function grep(...args: readonly string[]): readonly string[] {
  try {
    const found = execFileSync('git', ['grep', ...args], { cwd: ROOT, encoding: 'utf8' });
    return found.trimEnd().split('\n');
  } catch (error) {
    // grep's way to say that there is none.
    if ((error as { status?: number }).status === 1) return [];
    throw error;
  }
}
