import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { dockerVolumes } from './docker/secrets.js';
import { LocalStackError } from './local-stack-error.js';
import { POSTGRES_MAJOR } from './postgres/binaries.js';
import { deleteVarTmpHome } from './postgres/home.js';
import { lockData } from './process/data-lock.js';

const VOLUMES_GONE_MS = 30_000;

/**
 * Deletes a data folder and everything kept elsewhere for it: below /var/tmp, and in Docker volumes
 * when the engine answers. Throws LocalStackError while a stack runs on it, and when it holds what
 * no stack put there: JUNCTION_DATA_DIR may have been pointed at somebody's home.
 */
export function deleteData(dataDir: string): void {
  requireOurs(dataDir);
  lockData(dataDir);
  const volumes = dockerVolumes(dataDir);
  if (volumes.length > 0) {
    spawnSync('docker', ['volume', 'rm', '--force', ...volumes], { timeout: VOLUMES_GONE_MS });
  }
  deleteVarTmpHome(dataDir);
  rmSync(dataDir, { recursive: true, force: true });
}

const OURS: ReadonlySet<string> = new Set([
  'lock',
  'endpoints.json',
  'pids.json',
  'provider-acme.json',
  'provider-globex.json',
  'provider.json', // The file of earlier releases, whose data the secrets of this release do not fit.
  'secrets.json',
  'service-accounts.json',
  'trusted-issuers.json',
  'logs',
  'stack',
  'chaos',
  'kafka',
  `postgres-${POSTGRES_MAJOR}`,
  'docker.json',
  'docker-postgres.log',
  'docker-kafka.log',
]);
// Suffix of a file that a process was writing when it was killed.
const UNFINISHED = /\.(?:\d+|unfinished)$/;

function requireOurs(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  const foreign = readdirSync(dataDir).filter((name) => !OURS.has(name.replace(UNFINISHED, '')));
  if (foreign.length === 0) return;
  const some = foreign.slice(0, 3).join(', ');
  throw new LocalStackError(
    `${path.resolve(dataDir)} also holds what Junction did not put there (${some}). Nothing was ` +
      'deleted; remove the folder yourself if nobody needs it.',
  );
}
