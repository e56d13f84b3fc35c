// Builds the page into dist/site, unless what it is made from has not changed since the last time.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const SITE = path.join(root, 'dist/site');
const STAMP = path.join(root, 'dist/.site-stamp');
const SOURCES = ['index.html', 'package.json', 'vite.config.mjs', 'public', 'src'];

// Vite respects another one, and a start from within a test would leave React's development build behind.
process.env.NODE_ENV = 'production';

const stamp = fingerprint();
const current = existsSync(path.join(SITE, 'index.html')) && existsSync(STAMP);
if (!current || readFileSync(STAMP, 'utf8') !== stamp) {
  await build({ root, configFile: path.join(root, 'vite.config.mjs'), logLevel: 'warn' });
  writeFileSync(STAMP, stamp);
}

function fingerprint() {
  const hash = createHash('sha256');
  const lock = path.join(root, '../../package-lock.json');
  for (const file of [...SOURCES.flatMap((name) => filesOf(path.join(root, name))), lock]) {
    hash.update(`${path.relative(root, file)}\n`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function filesOf(entry) {
  if (!statSync(entry).isDirectory()) return [entry];
  return readdirSync(entry)
    .sort()
    .flatMap((name) => filesOf(path.join(entry, name)));
}
