import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const SECONDS = /\d+\.\d s/;

let checkout: string;
beforeAll(() => {
  checkout = mkdtempSync(path.join(tmpdir(), 'build-'));
  const place = (file: string) => path.join(checkout, file);
  for (const part of [
    'packages/local-stack/bin',
    'packages/local-stack/src',
    'packages/dashboard/bin',
    'packages/docs/bin',
  ]) {
    cpSync(path.join(ROOT, part), place(part), { recursive: true });
  }
  symlinkSync(path.join(ROOT, 'node_modules'), place('node_modules'));
  for (const name of ['one', 'two']) {
    mkdirSync(place(`packages/${name}/src`), { recursive: true });
    writeFileSync(place(`packages/${name}/src/index.ts`), `export const ${name} = 1;\n`);
    const references = name === 'two' ? [{ path: '../one' }] : [];
    const compilerOptions = { composite: true, rootDir: 'src', outDir: 'dist' };
    const tsconfig = { compilerOptions, include: ['src'], references };
    writeFileSync(place(`packages/${name}/tsconfig.json`), JSON.stringify(tsconfig));
  }
});
afterAll(() => rmSync(checkout, { recursive: true }));

it('a build says what it builds and how long that took, and nothing when all is built', () => {
  expect(build()).toEqual([
    'Building 2 of 2 packages and services …',
    expect.stringMatching(/^Built in \d+\.\d s\.$/),
    'built',
  ]);
  expect(build()).toEqual(['built']);

  append('packages/two/src/index.ts', 'export const more = 2;\n');
  expect(build()).toEqual([
    'Building 1 of 2 packages and services …',
    expect.stringMatching(SECONDS),
    'built',
  ]);

  append('packages/two/src/index.ts', "export const wrong: number = 'text';\n");
  const failed = [
    'Building 1 of 2 packages and services …',
    expect.stringMatching(/^packages\/two\/src\/index\.ts\(3,14\): error TS2322/),
    'The build failed.',
  ];
  expect(build()).toEqual(failed);
  expect(build()).toEqual(failed);
});

const append = (file: string, text: string) => appendFileSync(path.join(checkout, file), text);

/** Builds the second package and what that package needs. Returns the output, line by line. */
function build(): readonly string[] {
  const program = `
    import { ensureBuilt } from './packages/local-stack/bin/build.mjs';
    await ensureBuilt('packages/two');
    console.error('built');
  `;
  const args = ['--input-type=module', '--eval', program];
  const { stderr } = spawnSync(process.execPath, args, { cwd: checkout, encoding: 'utf8' });
  return stderr.trimEnd().split('\n');
}
