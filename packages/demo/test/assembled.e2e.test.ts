import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installedIn, listedIn } from './containers/bill-of-materials.js';

const START_MS = 60_000;
const ROOT = path.resolve(import.meta.dirname, '../../..');
const WORKSPACES = [
  'services/auth',
  'services/integrations',
  'services/webhook-dispatcher',
  'packages/dev-provider',
];
const run = promisify(execFile);

// What the last stages of service.Dockerfile copy, from this checkout in place of one that is installed and built anew:
// images.slow.test.ts does that. Outside of the checkout, or Node would find in it what was not copied.
describe.each(WORKSPACES)('what the image of %s runs', (workspace) => {
  const folder = mkdtempSync('/var/tmp/assembled-');

  beforeAll(async () => {
    for (const script of ['assemble.mjs', 'sbom.mjs']) {
      const file = path.join(ROOT, 'infra/docker', script);
      await run(process.execPath, [file, workspace, folder], { cwd: ROOT });
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has no more in it than that', () => {
    expect(existsSync(path.join(folder, 'main.mjs'))).toBe(true);
    for (const file of [
      'package-lock.json',
      'infra',
      'node_modules/typescript',
      'packages/testing',
    ])
      expect(existsSync(path.join(folder, file))).toBe(false);
  });

  it('says what is in it', () => {
    const installed = installedIn(path.join(folder, 'node_modules'));
    expect(installed.length).toBeGreaterThan(0);
    expect(listedIn(path.join(folder, 'sbom.cdx.json'))).toEqual(
      expect.arrayContaining([...installed]),
    );
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
