import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const GLOSSARY = 'docs/glossary.md';

describe('the words of the glossary', () => {
  it('have no synonyms in code, comments and pages', () => {
    expect(retired.length).toBeGreaterThan(10);
    expect(linesWith(retired)).toEqual([]);
  });

  it('would be found', () => {
    expect(linesWith(['use case'])).not.toEqual([]);
  });
});

/** Retired words: those in the glossary's last column. */
const retired = readFileSync(path.join(ROOT, GLOSSARY), 'utf8')
  .split('\n')
  .flatMap((line) => [...(line.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)])
  .flatMap(([, word]) => word ?? []);

/** `file:line:text` of every tracked text that bears one of the words, tests and generated code apart. */
function linesWith(words: readonly string[]): readonly string[] {
  const patterns = words.flatMap((word) => ['-e', word]);
  const places = [
    '*.ts',
    '*.tsx',
    '*.mjs',
    '*.md',
    `:!${GLOSSARY}`,
    ':!*/gen/*',
    ':!*words.test.ts',
  ];
  try {
    const found = execFileSync('git', ['grep', '-nIF', ...patterns, '--', ...places], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    return found.trimEnd().split('\n');
  } catch (error) {
    // grep's way to say that there is none.
    if ((error as { status?: number }).status === 1) return [];
    throw error;
  }
}
