import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { lockData } from './data-lock.js';
import { dockerVolumes } from './docker.js';
import { removeVarTmpHome } from './postgres-home.js';

const REMOVE_MS = 30_000;

/**
 * Deletes a data folder and everything kept elsewhere for it: below /var/tmp, and in Docker volumes
 * when the engine answers. Throws LocalStackError while a stack runs on it.
 */
export function removeData(dataDir: string): void {
  lockData(dataDir);
  const volumes = dockerVolumes(dataDir);
  if (volumes.length > 0) {
    spawnSync('docker', ['volume', 'rm', '--force', ...volumes], { timeout: REMOVE_MS });
  }
  removeVarTmpHome(dataDir);
  rmSync(dataDir, { recursive: true, force: true });
}
