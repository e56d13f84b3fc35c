#!/usr/bin/env node
// Runs jest as ESM. Arguments go through to jest.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { ensureInstalled } from './bootstrap.mjs';

await ensureInstalled({ checks: true });
const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const options = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const child = spawn(process.execPath, [...options, jest, ...process.argv.slice(2)], {
  stdio: 'inherit',
  // A moment that is read in local time by mistake shows only where that is not UTC.
  env: { TZ: 'Asia/Kathmandu', ...process.env },
});
child.once('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 130)));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
