import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LocalStackError } from '../local-stack-error.js';
import { runGuarded } from '../process/guarded-process.js';
import type { PostgresHome } from './home.js';

/** The superuser of our clusters. */
export const ADMIN = 'junction';

// Built into Postgres since 17: the same order of text on every machine, whatever it has installed.
const LOCALE = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
const INITDB_GRACE_MS = 2_000;

/** Makes the cluster when there is none, and gives the superuser's password. */
export async function preparedCluster(
  home: PostgresHome,
  native: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const exists = existsSync(path.join(home.data, 'PG_VERSION'));
  const password = adminPassword(home, exists);
  if (!exists) await initialise(home, native, signal);
  return password;
}

function adminPassword({ passwordFile, user, data }: PostgresHome, clusterExists: boolean): string {
  if (existsSync(passwordFile)) return readFileSync(passwordFile, 'utf8').trim();
  if (clusterExists) {
    throw new LocalStackError(
      `${passwordFile} is missing, so nobody can enter the database in ${data}. Put the file back, ` +
        'or delete all data with npm run reset.',
    );
  }
  const password = randomBytes(24).toString('base64url');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (user) chownSync(passwordFile, user.uid, user.gid); // initdb reads it
  return password;
}

/** Aside, then renamed: a half-made cluster is never taken for a whole one. */
async function initialise(
  { cluster, data, log, passwordFile, user }: PostgresHome,
  native: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const aside = `${data}.${process.pid}`;
  try {
    await runGuarded('Making the database', {
      command: path.join(native, 'bin', 'initdb'),
      args: [
        `--pgdata=${aside}`,
        `--username=${ADMIN}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        ...LOCALE,
        '--no-sync',
        '--no-instructions',
      ],
      cwd: cluster,
      user,
      log,
      stopSignal: 'SIGKILL',
      graceMs: INITDB_GRACE_MS,
      signal,
    });
    renameSync(aside, data);
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}
