import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { postgresBinaries, repairSymlinks } from './binaries.js';

let unpacked: string;
beforeAll(() => {
  unpacked = mkdtempSync(path.join(tmpdir(), 'unpacked-'));
  const installed = path.join(postgresBinaries(undefined), '..');
  const filter = (source: string) => !lstatSync(source).isSymbolicLink();
  cpSync(installed, unpacked, { recursive: true, filter });
});
afterAll(() => rmSync(unpacked, { recursive: true }));

it('a Postgres that was installed without its install script does not find its libraries until its links are repaired', () => {
  expect(version).toThrow('error while loading shared libraries');
  repairSymlinks(unpacked);
  expect(version()).toMatch(/PostgreSQL\) 18/);
  repairSymlinks(unpacked); // nothing is left to do
  expect(version()).toMatch(/PostgreSQL\) 18/);
});

const version = () =>
  execFileSync(path.join(unpacked, 'native', 'bin', 'postgres'), ['--version'], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
