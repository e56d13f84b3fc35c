import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { imagesNodePackage, nodePackage } from '../../local-stack/bin/images-node.mjs';

export const ROOT = path.resolve(import.meta.dirname, '../../..');

/** Packs the packages before the first test of a file, and forgets them after the last. */
export function usePackages() {
  const top = mkdtempSync(path.join(tmpdir(), 'junction-packages-'));
  const tarballs = path.join(top, 'tarballs');
  let nodes: readonly string[] = [];

  beforeAll(async () => {
    await run(process.execPath, [path.join(ROOT, 'packages/local-stack/bin/pack.mjs'), tarballs]);
    const others = [nodePackage('22'), imagesNodePackage()].map((name) => fetched(name, 'node'));
    nodes = [process.execPath, ...(await Promise.all(others))];
    const versions = nodes.map(async (node) => run(node, ['--version']));
    expect((await Promise.all(versions)).at(-1)).toMatch(/^v24\./);
  });

  afterAll(() => rmSync(top, { recursive: true }));

  return {
    tarballs,
    /** Programs: the Node of the tests, Node 22, and that of the images. */
    nodes: () => nodes,

    /** Makes a new folder with the package in it and nothing else, and refuses what its Node is too old for. */
    async installed(name: string, ...others: readonly string[]): Promise<string> {
      const folder = path.join(top, name);
      const tarball = path.join(tarballs, `junction-${name}-0.1.0.tgz`);
      const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
      const install = ['install', '--prefix', folder, '--engine-strict', ...quiet];
      await run('npm', [...install, tarball, ...others], top);
      const file = path.join(folder, 'package.json');
      const manifest = JSON.parse(readFileSync(file, 'utf8')) as object;
      writeFileSync(file, JSON.stringify({ ...manifest, type: 'module' }));
      return folder;
    },
  };
}

/** Fetches a package from the registry unless npm has it, and returns the path of a program in it. */
export const fetched = async (name: string, program: string): Promise<string> =>
  (await run('npm', ['exec', '--yes', `--package=${name}`, '--', 'which', program])).trim();

export const run = async (command: string, args: readonly string[], cwd = ROOT): Promise<string> =>
  (await promisify(execFile)(command, args, { cwd })).stdout;

export const contentsOf = (folder: string, name: string): readonly string[] =>
  readdirSync(path.join(folder, 'node_modules/@junction', name)).toSorted();
