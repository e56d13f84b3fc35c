import { createHash } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { LocalStackError } from '../local-stack-error.js';
import type { UnprivilegedUser } from '../process/unprivileged-user.js';
import { canEnter, folderInVarTmp, unprivilegedUser } from '../process/unprivileged-user.js';
import { POSTGRES_MAJOR } from './binaries.js';

/** The folders and files of a cluster, and its owner. */
export interface PostgresHome {
  /** The only place the database's user writes to. */
  readonly cluster: string;
  readonly data: string;
  readonly log: string;
  /** File with the superuser's password, which is random; mode 0600. */
  readonly passwordFile: string;
  readonly mark: string;
  readonly user: UnprivilegedUser | undefined;
}

/**
 * The home of the cluster for a data folder, made when absent: inside it, or below /var/tmp when
 * the database's user cannot enter it, which is said. Throws LocalStackError when the data there
 * belong to somebody else.
 */
export function postgresHome(dataDir: string, say: (line: string) => void): PostgresHome {
  const user = unprivilegedUser();
  mkdirSync(dataDir, { recursive: true });
  const isInside = user === undefined || canEnter(dataDir, user);
  const base = isInside ? path.resolve(dataDir) : folderInVarTmp(varTmpName(dataDir), user);
  if (!isInside) {
    say(`The user ${user.name} cannot enter ${dataDir}: Postgres keeps its data in ${base}.`);
  }

  const folder = path.join(base, `postgres-${POSTGRES_MAJOR}`);
  const cluster = path.join(folder, 'cluster');
  mkdirSync(folder, { recursive: true });
  if (user) chmodSync(folder, 0o755); // Postgres' user must pass through, whatever our umask says
  return {
    cluster,
    data: path.join(cluster, 'data'),
    log: path.join(folder, 'postgres.log'),
    passwordFile: path.join(folder, 'admin-password'),
    mark: path.join(folder, 'process'),
    user: ownerOf(cluster, user),
  };
}

/** Returns the user that runs the cluster: the one who made it, whichever users this machine has gained since. */
function ownerOf(
  cluster: string,
  user: UnprivilegedUser | undefined,
): UnprivilegedUser | undefined {
  if (!existsSync(cluster)) {
    mkdirSync(cluster, { mode: 0o700 });
    if (user) chownSync(cluster, user.uid, user.gid);
    return user;
  }
  const { uid, gid } = statSync(cluster);
  if (user && uid !== 0) return { ...user, uid, gid };
  if (uid === process.getuid?.() && user === undefined) return undefined;
  throw new LocalStackError(
    `The database in ${cluster} belongs to the user with id ${uid}. Start as that user or as root, ` +
      'or set JUNCTION_DATA_DIR to work on other data.',
  );
}

/** Deletes what lies below /var/tmp for a data folder. */
export function deleteVarTmpHome(dataDir: string): void {
  const folder = path.join('/var/tmp', varTmpName(dataDir));
  if (process.getuid?.() === 0 && existsSync(folder)) rmSync(folder, { recursive: true });
}

/** Returns a name that depends on the data folder alone: the folder finds its data again, and no two folders clash. */
const varTmpName = (dataDir: string): string =>
  `junction-${createHash('sha256').update(path.resolve(dataDir)).digest('hex').slice(0, 16)}`;
