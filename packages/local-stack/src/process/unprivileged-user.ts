import { chmodSync, lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { LocalStackError } from '../local-stack-error.js';

/** The user that Postgres runs as when we are root, because Postgres refuses to run as root. */
export interface UnprivilegedUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

// initdb asks for an entry in passwd, so a bare number will not do. Every system has `nobody`.
const CANDIDATES = ['postgres', 'nobody'];

/** Undefined when we are not root, and everything can run as ourselves. */
export function unprivilegedUser(
  uid = process.getuid?.(),
  passwd = () => readFileSync('/etc/passwd', 'utf8'),
): UnprivilegedUser | undefined {
  if (uid !== 0) return undefined;
  const entries = passwd()
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of CANDIDATES) {
    const entry = entries.find(([user]) => user === name);
    if (entry) return { name, uid: Number(entry[2]), gid: Number(entry[3]) };
  }
  throw new LocalStackError(
    'Postgres does not run as root, and there is neither a user "postgres" nor "nobody" to run it ' +
      'as. Start as another user, or create one of them.',
  );
}

/** Whether that user may enter the folder, or execute the file, and everything above it. */
export function canEnter(target: string, { uid, gid }: UnprivilegedUser): boolean {
  for (let place = path.resolve(target); ; place = path.dirname(place)) {
    const { mode, uid: owner, gid: group } = statSync(place);
    const mayExecute = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
    if ((mode & mayExecute) === 0) return false;
    if (place === path.dirname(place)) return true;
  }
}

/**
 * A folder of ours below /var/tmp, made when absent. There anybody may have been faster, so one
 * that belongs to somebody else is refused rather than trusted.
 */
export function folderInVarTmp(name: string, { uid }: UnprivilegedUser): string {
  const folder = path.join('/var/tmp', name);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || (found.uid !== uid && found.uid !== process.getuid?.())) {
    throw new LocalStackError(`${folder} belongs to somebody else. Remove it and start again.`);
  }
  chmodSync(folder, 0o755); // whatever our umask says
  return folder;
}
