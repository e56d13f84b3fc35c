#!/usr/bin/env node
// proto/ → packages/contracts/src/gen.
//
//   generate.mjs             lints proto/ and writes what it becomes
//   generate.mjs --check     the same into a temporary folder; fails when src/gen is not exactly that
//   generate.mjs --breaking  fails when proto/ breaks a reader of what the branch main holds
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const GENERATED = 'packages/contracts/src/gen';
const DEADLINE_MS = 120_000;

// The shim finds the binary in the platform's own npm package: no install script, no download.
const BUF = createRequire(import.meta.url).resolve('@bufbuild/buf/bin/buf');

const flags = new Set(process.argv.slice(2));
const unknown = [...flags].filter((flag) => flag !== '--check' && flag !== '--breaking');
if (unknown.length > 0)
  fail(`Unknown option ${unknown.join(', ')}: --check and --breaking are known.`);

buf('lint');
buf('format', '--diff', '--exit-code');
if (flags.has('--breaking')) buf('breaking', '--against', '.git#branch=main');
else inTemporaryFolder(flags.has('--check') ? check : write);

function write(fresh) {
  rmSync(join(ROOT, GENERATED), { recursive: true, force: true });
  cpSync(join(fresh, GENERATED), join(ROOT, GENERATED), { recursive: true });
}

function check(fresh) {
  const [wanted, present] = [filesOf(join(fresh, GENERATED)), filesOf(join(ROOT, GENERATED))];
  const stale = [...new Set([...wanted.keys(), ...present.keys()])].filter(
    (path) => wanted.get(path) !== present.get(path),
  );
  if (stale.length === 0) return;
  fail(`Not what proto/ becomes: ${stale.join(', ')}. Run \`npm run generate\`.`);
}

/** Path → text of every file under `folder`; none when it does not exist. */
function filesOf(folder) {
  const files = new Map();
  for (const entry of listing(folder)) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(folder, path), readFileSync(path, 'utf8'));
  }
  return files;
}

function listing(folder) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

function inTemporaryFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'junction-generate-'));
  // Also when `use` ends the process by fail().
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  buf('generate', '--output', folder);
  use(folder);
}

function buf(...args) {
  const { status, error } = spawnSync(process.execPath, [BUF, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    timeout: DEADLINE_MS,
  });
  if (error) fail(`buf ${args[0]} could not run: ${error.message}`);
  if (status !== 0) fail(`buf ${args[0]} failed.`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
