import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installedIn, listedIn } from './containers/bill-of-materials.js';

const START_MS = 60_000;
const COMMIT = 'c0ffee'.padEnd(40, '0');
const ROOT = path.resolve(import.meta.dirname, '../../..');
const WORKSPACES = [
  'services/auth',
  'services/integrations',
  'services/webhook-dispatcher',
  'packages/dev-servers',
];
const run = promisify(execFile);

// The folder holds what the last stages of service.Dockerfile copy, but from this checkout: images.slow.test.ts
// installs and builds anew. The folder is outside of the checkout, where Node would also find files that were not
// copied.
describe.each(WORKSPACES)('the assembled folder of %s', (workspace) => {
  const folder = mkdtempSync('/var/tmp/assembled-');

  beforeAll(async () => {
    for (const script of ['assemble.mjs', 'sbom.mjs']) {
      const file = path.join(ROOT, 'infra/docker', script);
      await run(process.execPath, [file, workspace, folder], {
        cwd: ROOT,
        env: { ...process.env, COMMIT },
      });
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('holds nothing that the program does not need', () => {
    expect(existsSync(path.join(folder, 'main.mjs'))).toBe(true);
    for (const file of [
      'package-lock.json',
      'infra',
      'node_modules/typescript',
      'packages/testing',
    ])
      expect(existsSync(path.join(folder, file))).toBe(false);
  });

  it('lists its packages', () => {
    const installed = installedIn(path.join(folder, 'node_modules'));
    expect(installed.length).toBeGreaterThan(0);
    expect(listedIn(path.join(folder, 'sbom.cdx.json'))).toEqual(
      expect.arrayContaining([...installed]),
    );
  });

  it('knows the version of the checkout and the commit that built it', () => {
    const top = (folder: string) =>
      JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    expect(top(folder)).toEqual({ version: top(ROOT).version, type: 'module', gitHead: COMMIT });
  });

  it('lacks nothing that it loads: it gets as far as to read its environment', async () => {
    const started = run(process.execPath, ['--import', './telemetry.mjs', 'main.mjs'], {
      cwd: folder,
      env: { PATH: process.env['PATH'] },
      timeout: START_MS,
    });
    await expect(started).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/environment is (not usable|wrong):/),
    });
  });
});
