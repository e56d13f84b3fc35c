// Tells whether the built page matches the sources. Imports nothing that npm installs.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The top of this workspace. */
export const DASHBOARD = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
/** Holds the fingerprint of what the page was last built from. */
export const STAMP = path.join(DASHBOARD, 'dist/.site-stamp');

const PAGE = path.join(DASHBOARD, 'dist/site/index.html');
const SOURCES = [
  'bin',
  'index.html',
  'portal.html',
  'package.json',
  'vite.config.mjs',
  'public',
  'src',
  '../../docs/webhooks/verify',
];

/** Returns whether the built page is current, so that nothing has to be built. */
export const isSiteCurrent = () =>
  existsSync(PAGE) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === fingerprint();

/** Hash of everything that the page is built from. */
export const fingerprint = () => fingerprintOf(DASHBOARD, [...SOURCES, '../../package-lock.json']);

/** Names and contents of files below a folder, as a hash; of a folder among them, all it holds. */
export function fingerprintOf(top, names) {
  const hash = createHash('sha256');
  for (const file of names.flatMap((name) => filesOf(path.join(top, name)))) {
    hash.update(`${path.relative(top, file)}\n`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function filesOf(entry) {
  if (!statSync(entry).isDirectory()) return [entry];
  return readdirSync(entry)
    .sort()
    .flatMap((name) => filesOf(path.join(entry, name)));
}
