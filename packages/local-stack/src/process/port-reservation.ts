import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const RESERVED_FOR_MS = 120_000;
// Everybody on the machine reserves here, each their own: as with /tmp itself.
const SHARED = 0o1777;

/**
 * Claims a port among all processes of this machine that ask here, for two minutes: between finding
 * a port free and listening on it another start would otherwise find the same one now and then.
 */
export function reservePort(port: number, dir = path.join(tmpdir(), 'junction-ports')): boolean {
  const file = path.join(dir, String(port));
  try {
    makeShared(dir);
    if (Date.now() - (madeAt(file) ?? 0) > RESERVED_FOR_MS) rmSync(file, { force: true });
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch {
    return false; // another's, or another user's that is not ours to remove: there are more ports
  }
}

function makeShared(dir: string): void {
  if (mkdirSync(dir, { recursive: true }) !== undefined) chmodSync(dir, SHARED);
}

function madeAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
