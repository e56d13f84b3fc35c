import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const LOCKED = {
  'node_modules/runs': { version: '1.0.0', integrity: 'sha512-runs' },
  'node_modules/checks': { version: '1.0.0', integrity: 'sha512-checks', dev: true },
  'node_modules/elsewhere': { version: '1.0.0', integrity: 'sha512-elsewhere', optional: true },
};
type Place = keyof typeof LOCKED;

let checkout: string;
const place = (file: string) => path.join(checkout, file);
beforeAll(() => {
  checkout = mkdtempSync(path.join(tmpdir(), 'install-'));
  for (const part of ['package.json', 'packages/local-stack/bin', 'packages/local-stack/src']) {
    cpSync(path.join(ROOT, part), place(part), { recursive: true });
  }
  writeFileSync(place('package-lock.json'), JSON.stringify({ packages: LOCKED }));
  mkdirSync(place('programs'));
  const npm = `#!/bin/sh\necho "$1 $(echo "$*" | grep -o -e '--[a-z]*=dev')" > ${place('asked')}\n`;
  writeFileSync(place('programs/npm'), npm, { mode: 0o755 });
});
beforeEach(() => {
  for (const part of ['node_modules', 'asked'])
    rmSync(place(part), { recursive: true, force: true });
});
afterAll(() => rmSync(checkout, { recursive: true }));

describe('an install', () => {
  it('leaves out on a fresh clone what only checks and tests need, unless they are asked for', () => {
    expect(install()).toBe('ci --omit=dev');
    expect(install({ checks: true })).toBe('ci --include=dev');
  });

  it('completes in place what is installed, and does nothing when it is complete', () => {
    installed('node_modules/runs');
    expect(install()).toBeUndefined();
    expect(install({ checks: true })).toBe('install --include=dev');
    installed('node_modules/runs', 'node_modules/checks');
    expect(install({ checks: true })).toBeUndefined();
  });

  it('keeps the checks of a checkout that has them, and brings another version', () => {
    installed('node_modules/checks');
    expect(install()).toBe('install --include=dev');
  });
});

/** Makes node_modules as npm leaves it. */
function installed(...places: readonly Place[]): void {
  for (const one of places) {
    mkdirSync(place(one), { recursive: true });
  }
  const packages = Object.fromEntries(places.map((one) => [one, LOCKED[one]]));
  writeFileSync(place('node_modules/.package-lock.json'), JSON.stringify({ packages }));
}

/** Returns what npm was asked for; undefined when npm was not run. */
function install(options = {}): string | undefined {
  rmSync(place('asked'), { force: true });
  const program = `
    import { ensureInstalled } from './packages/local-stack/bin/bootstrap.mjs';
    await ensureInstalled(${JSON.stringify(options)});
  `;
  spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: checkout,
    env: { ...process.env, PATH: `${place('programs')}:${process.env['PATH']}` },
  });
  return existsSync(place('asked')) ? readFileSync(place('asked'), 'utf8').trim() : undefined;
}
