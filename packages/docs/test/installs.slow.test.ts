import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { marked, type Tokens } from 'marked';
import { fetched, ROOT, run, usePackages } from '../../acceptance/test/installed.js';
import { PAGES } from '../src/pages/pages.js';

const { tarballs, nodes } = usePackages();
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'junction-installs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Blocks of the pages that install a packed file: a line that installs, and those that start the command. */
const BLOCKS = PAGES.flatMap(({ source }) => (typeof source === 'string' ? [source] : []))
  .flatMap((page) => marked.lexer(readFileSync(path.join(ROOT, page), 'utf8')))
  .filter((token): token is Tokens.Code => token.type === 'code')
  .map(({ text }) => text.split('\n'))
  .filter(([install = '']) => install.startsWith('npm install') && install.endsWith('.tgz'));

it('the pages say of every packed file how it is installed', () => {
  const named = BLOCKS.map(([install = '']) => install.split(' ').at(-1));
  expect(new Set(named)).toEqual(new Set(readdirSync(tarballs)));
});

describe.each(['10', '11'])('with npm %s', (version) => {
  it.each(BLOCKS)(
    '%s, as printed, installs what starts on each Node',
    async (install, ...starts) => {
      for (const file of readdirSync(tarballs)) {
        copyFileSync(path.join(tarballs, file), path.join(folder, file));
      }
      const bin = path.dirname(await fetched(`npm@${version}`, 'npm'));
      expect((await inShell('npm --version', bin)).split('.')[0]).toBe(version);
      await inShell(install, bin);
      const name = /junction-(.*)-0/.exec(install)?.[1];
      const start = `node --input-type=module -e "await import('@junction/${name}')"`;
      const commit = (await run('git', ['rev-parse', 'HEAD'])).trim();
      for (const node of nodes()) {
        const printed = await inShell(starts.join('\n') || start, path.dirname(node));
        expect(printed).toBe(starts.length > 0 ? `0.1.0 (${commit})\n` : '');
      }
    },
  );
});

/** Runs lines in the folder, where global installs go too, with the programs of `bin` before all others. */
const inShell = async (lines: string, bin: string): Promise<string> => {
  const own = path.join(folder, 'global');
  const PATH = [bin, path.join(own, 'bin'), process.env['PATH']].join(path.delimiter);
  const given = [`npm_config_prefix=${own}`, `PATH=${PATH}`];
  return run('env', [...given, 'bash', '-euc', lines], folder);
};
