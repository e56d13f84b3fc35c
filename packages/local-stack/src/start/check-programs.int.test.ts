import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { apart } from '../preflight/settings.mjs';
import { refusalOf } from './check-programs.js';

const START = path.resolve(import.meta.dirname, '../../bin/start.mjs');

it('npm start has the programs judge their settings before it starts a server or makes a folder', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'check-programs-'));
  const PROVIDERS_FILE = path.join(folder, 'providers.yaml');
  writeFileSync(PROVIDERS_FILE, 'identity_providers: { acme: { issuer: nowhere } }\n');
  const dataDir = path.join(folder, 'data');
  const { status, stdout, stderr } = spawnSync(process.execPath, [START], {
    env: {
      ...apart(process.env, dataDir),
      PROVIDERS_FILE,
      SIGN_IN_LIMITS: 'soon',
      CONNECT_RETURN_TO: 'nowhere',
      WEBHOOK_RETRY_SCHEDULE_S: 'soon',
      PROVIDER_ACCESS_TOKEN_TTL_S: 'soon',
    },
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/^- auth: .*\n {4}SIGN_IN_LIMITS: /m);
  expect(stderr).toMatch(
    /^- integrations: .*\n {4}CONNECT_RETURN_TO: .*\n {2}PROVIDERS_FILE: .*yaml is not usable:\n {4}/m,
  );
  expect(stderr).toMatch(/^- webhook-dispatcher: .*\n {4}WEBHOOK_RETRY_SCHEDULE_S: /m);
  for (const name of ['provider-acme', 'provider-globex']) {
    expect(stderr).toMatch(
      new RegExp(`^- ${name}: .*\\n {2}- PROVIDER_ACCESS_TOKEN_TTL_S must be `, 'm'),
    );
  }
  expect(stderr).not.toContain('    at ');
  // A busy machine is told that it waits, and nothing else.
  expect(stdout.replace('Waiting for the services to check their settings …\n', '')).toBe('');
  expect(status).toBe(1);
  expect(existsSync(dataDir)).toBe(false);
  rmSync(folder, { recursive: true });
});

it('a program that is ended before it has judged its settings has not refused them', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'check-programs-'));
  const said = (name: string, script: string) => {
    const file = path.join(folder, `${name}.mjs`);
    writeFileSync(file, script);
    return refusalOf({ name, script: file, env: {} }, new AbortController().signal);
  };
  expect(await said('killed', `process.kill(process.pid, 'SIGKILL')`)).toBeUndefined();
  expect(await said('refuses', `console.error('refuses: PORT'); process.exit(1)`)).toBe(
    'refuses: PORT',
  );
  expect(await said('agrees', '')).toBeUndefined();
  rmSync(folder, { recursive: true });
});
