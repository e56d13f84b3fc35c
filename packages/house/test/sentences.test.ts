import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { inCheckout } from './in-checkout.js';

const SENTENCES = path.resolve(import.meta.dirname, '../bin/sentences.mjs');

const WORDS =
  'What Of One Ones Who Whoever Whom Whose Those It Its They Told Asked Nobody Somebody'.split(' ');

/** Forms of a comment, each with the line on which the comment begins. */
const FORMS: [form: string, line: number, text: (word: string) => string][] = [
  ['block', 1, (word) => `/** ${word} is kept. */\n`],
  ['block-of-lines', 1, (word) => `/**\n * ${word} is kept,\n * for long.\n */\n`],
  ['plain-block', 1, (word) => `/* ${word} is kept. */\n`],
  ['line', 1, (word) => `// ${word} is kept.\n`],
  ['line-behind-an-empty-one', 1, (word) => `//\n// ${word} is kept.\n`],
  ['indented-line', 2, (word) => `{\n  // ${word} is kept.\n}\n`],
  ['line-of-sql', 2, (word) => `const table = \`\n  -- ${word} is kept.\n\`;\n`],
];

/** Texts with a comment of 121 columns, and its line. */
const WIDE: [form: string, line: number, text: string][] = [
  ['block', 1, `/** ${'a'.repeat(114)} */\n`],
  ['line within a block', 3, `/**\n * Short.\n * ${'a'.repeat(118)}\n */\n`],
  ['line', 2, `// Short.\n// ${'a'.repeat(118)}\n`],
  ['line of SQL', 3, `const table = \`\n  -- Short.\n  -- ${'a'.repeat(116)}\n\`;\n`],
];

/** Texts that a person reads who does not read the source. */
const TEXTS: [what: string, text: (words: string) => string][] = [
  ['a description of a member', (words) => `z.int().describe('${words}');`],
  ['a description of a command', (words) => `new Command('age').description('${words}');`],
  ['a summary of a route', (words) => `({ summary: '${words}' });`],
  ['an option of a command', (words) => `program.option('--age <age>', '${words}');`],
  ['a description of a route', (words) => `({ about: '${words}' });`],
];

/** Titles and blocks with a hole for their words, each in a file that has such. */
const TITLES: [what: string, file: string, text: string][] = [
  ['the title of a test', 'packages/vault/src/age.test.ts', "it('…', () => {});"],
  ['the title of a group', 'packages/vault/test/age.ts', "describe('…', () => {});"],
  ['the title of a table', 'services/a.test.ts', "it.each([1])('…', () => {});"],
  ['a heading', 'docs/age.md', '## …'],
  ['a paragraph', 'docs/age.md', '\n**…**'],
  ['an item', 'docs/age.md', '- …'],
  ['a cell', 'docs/age.md', '| `age` | … |'],
];

/** A checkout in which every comment is a sentence. */
const HOUSE: Readonly<Record<string, string>> = {
  'infra/site.mjs': '#!/usr/bin/env node\n// Builds the site.\n// What is built stays there.\n',
  'packages/vault/src/key.ts': '/**\n * Returns the key.\n *\n * What it opens is read.\n */\n',
  'packages/vault/src/text.ts': `export const text = '${'a'.repeat(120)}'; // Of an example.\n`,
  'services/auth/src/page.tsx': `/** ${'a'.repeat(113)} */\n/** Whatever is shown. */\n`,
  'packages/vault/src/gen/key.ts': '/** What is generated. */\n',
  'packages/vault/dist/key.d.ts': '/** What is built. */\n',
  'packages/vault/README.md':
    '# Vault\n\n```sh\n# What is code\n```\n\nWhen it opens\nIt reads. Why?\n\n| key | whose |\n| --- | --- |\n| `id` | of whom |\n',
  'packages/vault/src/key.test.ts': `it('opens when it can', () => z.string().describe('what it is'));\n`,
  'node_modules/kafkajs/types.ts': '/** What is installed. */\n',
};

describe('the check of comments and texts', () => {
  it('passes a clean house, and counts its files', () => {
    const { status, stdout, stderr } = check(HOUSE);
    expect(stderr).toBe('');
    expect(stdout).toBe('sentences: 6 files, none broken\n');
    expect(status).toBe(0);
  });

  const broken = check({
    ...HOUSE,
    ...Object.fromEntries(
      WORDS.flatMap((word) => FORMS.map(([form, , text]) => [`${word}/${form}.ts`, text(word)])),
    ),
  });

  it.each(WORDS)('refuses a comment that begins with %s', (word) => {
    const named = broken.stderr.split('\n').filter((line) => line.startsWith(`${word}/`));
    const expected = FORMS.map(([form, line]) => `${word}/${form}.ts:${line}: begins with ${word}`);
    expect(named.toSorted()).toEqual(expected.toSorted());
    expect(broken.status).toBe(1);
  });

  it('refuses nothing else', () => {
    expect(broken.stderr.trimEnd().split('\n')).toHaveLength(WORDS.length * FORMS.length);
  });

  it.each(TEXTS)('refuses %s that begins with a clause or a fragment', (_, text) => {
    const files = {
      ...HOUSE,
      'packages/vault/src/text.ts': `\n${text('how old it is.')}\n${text('Its age.')}\n`,
    };
    const { status, stderr } = check(files);
    const place = 'packages/vault/src/text.ts';
    expect(stderr).toBe(`${place}:2: begins with how\n${place}:3: begins with Its\n`);
    expect(status).toBe(1);
    expect(check({ ...HOUSE, [place]: text('Age of the key: what it has seen.') }).status).toBe(0);
  });

  it.each(TITLES)('refuses %s that begins with a question or a fragment', (_, file, text) => {
    const having = (...words: string[]) =>
      check({ ...HOUSE, [file]: words.map((word) => `\n${text.replace('…', word)}\n`).join('') });
    const { status, stderr } = having('How old it is.', 'Of its age.');
    expect(stderr.match(/begins with \w+/g)).toEqual(['begins with How', 'begins with Of']);
    expect(status).toBe(1);
    expect(having('Age of the key: what it has seen.').status).toBe(0);
  });

  it.each(WIDE)('refuses a %s of 121 columns', (_, line, text) => {
    const { status, stderr } = check({ ...HOUSE, 'packages/vault/src/wide.mjs': text });
    expect(stderr).toBe(`packages/vault/src/wide.mjs:${line}: wider than 120 columns\n`);
    expect(status).toBe(1);
  });
});

function check(files: Readonly<Record<string, string>>) {
  return inCheckout(files, (root) =>
    spawnSync(process.execPath, [SENTENCES, root], { encoding: 'utf8' }),
  );
}
