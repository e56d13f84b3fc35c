import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { canEnter } from '../process/unprivileged-user.js';
import { postgresHome } from './home.js';

let dataDir: string;
let umask: number;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'home-'));
  chmodSync(dataDir, 0o711);
  umask = process.umask(0o077);
});
afterEach(() => {
  process.umask(umask);
  rmSync(dataDir, { recursive: true });
});

it('the home of the database lets its user in under a umask that keeps others out', () => {
  const { user, cluster } = postgresHome(dataDir, () => undefined);
  expect(cluster).toBe(path.join(dataDir, 'postgres-18', 'cluster'));
  expect(user === undefined || canEnter(cluster, user)).toBe(true);
});
