import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it } from '@jest/globals';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');

/** A block of TypeScript, and before it what it is given: imports and declarations in a comment. */
const EXAMPLE = /(?:^<!-- given:\n((?:(?!-->)[^])*)-->\n+)?^```ts\n([^]*?)^```/gm;

const COMPILER_OPTIONS = {
  noEmit: true,
  composite: false,
  noUnusedLocals: false,
  customConditions: ['@junction/source'],
};

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

it('the examples of all READMEs compile', async () => {
  const examples = pages().flatMap((page) => examplesIn(page, readFileSync(page, 'utf8')));
  expect(examples.length).toBeGreaterThan(5);
  expect(await mistakesIn(examples)).toBe('');
});

it('an example that uses what is not there is named with its page and line', async () => {
  const page =
    "Text\n\n```ts\nimport { startReceiver } from '@junction/testing';\nnowhere();\n```\n";
  const mistakes = await mistakesIn(examplesIn(path.join(ROOT, 'packages/x/README.md'), page));
  expect(mistakes).toContain('packages.x.README.md.line3.ts(2,1): error TS2304: Cannot find name');
});

interface Example {
  readonly name: string;
  readonly code: string;
}

function pages(): readonly string[] {
  const rooms = ['packages', 'services'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder)).map((room) => path.join(ROOT, folder, room, 'README.md')),
  );
  const docs = readdirSync(path.join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.join(ROOT, 'docs', file));
  return [path.join(ROOT, 'README.md'), ...rooms.filter((file) => existsSync(file)), ...docs];
}

const examplesIn = (page: string, text: string): readonly Example[] =>
  [...text.matchAll(EXAMPLE)].map(({ index, 1: given = '', 2: code = '' }) => {
    const line = text.slice(0, index).split('\n').length;
    const name = path.relative(ROOT, page).replaceAll(path.sep, '.');
    return { name: `${name}.line${line}.ts`, code: `${code}${given}\nexport {};\n` };
  });

/** Returns the mistakes that the compiler finds in the examples, as modules of a package that depends on all others. */
async function mistakesIn(examples: readonly Example[]): Promise<string> {
  const folder = mkdtempSync(path.join(ROOT, 'node_modules', '.readme-examples-'));
  folders.push(folder);
  for (const { name, code } of examples) writeFileSync(path.join(folder, name), code);
  const tsconfig = {
    extends: path.join(ROOT, 'tsconfig.base.json'),
    compilerOptions: COMPILER_OPTIONS,
    files: examples.map(({ name }) => name),
  };
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  const run = promisify(execFile)(process.execPath, [TSC, '-p', '.'], { cwd: folder });
  const { stdout } = await run.catch((error: unknown) => error as { stdout: string });
  // Mistakes in the packages behind the examples are found by `npm run types`.
  const isOfExample = (line: string) => examples.some(({ name }) => line.startsWith(name));
  return stdout.split('\n').filter(isOfExample).join('\n');
}
