// What has to be true before anything of ours can be imported. No dependency: it installs them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';

/** The top of the checkout. */
export const ROOT = path.join(import.meta.dirname, '..', '..', '..');

const NODE_MIN = [20, 19];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const PARENT_CHECK_MS = 250;

/** Runs `npm ci` unless node_modules is what package-lock.json says. Ends the process on failure. */
export async function ensureInstalled() {
  requireNode();
  if (isInstalled()) return;
  console.error('Installing the dependencies (npm ci), about half a minute …');
  // Nothing here needs an install script, so none gets to run.
  const isDone = await succeeds('npm', ['ci', '--ignore-scripts']);
  if (!isDone) endWith('The dependencies are not installed.');
}

/**
 * Asks this process to stop, as SIGTERM does, when the npm that runs it is gone: a killed npm tells
 * its script nothing, and the product would go on unseen. Without npm it may be left alone on purpose.
 */
export function endWithNpm() {
  if (process.env.npm_command === undefined) return;
  const npm = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(check);
    process.kill(process.pid, 'SIGTERM');
  }, PARENT_CHECK_MS);
  check.unref();
}

/** Compiles what changed since the last time, everything or one workspace. Ends the process on failure. */
export async function ensureBuilt(workspace = '.') {
  console.error('Building …');
  const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const site = path.join(ROOT, 'packages', 'dashboard', 'bin', 'build.mjs');
  const steps = workspace === '.' ? [[tsc, '-b'], [site]] : [[tsc, '-b', workspace]];
  for (const step of steps) {
    if (!(await succeeds(process.execPath, step))) endWith('The build failed.');
  }
}

function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  console.error(`Junction needs Node ${NODE_MIN.join('.')} or newer; this is ${process.version}.`);
  process.exit(1);
}

/**
 * npm leaves in node_modules a lock file of what it put there. It omits the optional packages of
 * other platforms; everything else must be the same, and in place.
 */
function isInstalled() {
  const installed = packagesOf(path.join(ROOT, 'node_modules', '.package-lock.json'));
  const wanted = packagesOf(path.join(ROOT, 'package-lock.json'));
  if (installed === undefined || wanted === undefined) return false;
  const isThere = ([place, { version, integrity, link, optional, devOptional }]) => {
    const found = installed[place];
    if (found === undefined) return optional === true || devOptional === true;
    const isSame = found.version === version && found.integrity === integrity;
    return (link === true || isSame) && existsSync(path.join(ROOT, place));
  };
  return Object.entries(wanted)
    .filter(([place]) => place.startsWith('node_modules/'))
    .every(isThere);
}

function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/** Runs a program to its end; a signal to us is one to it, and ends us too. */
async function succeeds(command, args) {
  const child = spawn(command, args, { cwd: ROOT, stdio: 'inherit' });
  let asked;
  const passOn = (signal) => {
    asked = signal;
    child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, passOn);
  const [code] = await once(child, 'exit').catch((error) => {
    console.error(`${command}: ${error.message}`);
    return [1];
  });
  for (const signal of SIGNALS) process.off(signal, passOn);
  if (asked !== undefined) process.exit(128 + constants.signals[asked]);
  return code === 0;
}

function endWith(message) {
  console.error(message);
  process.exit(1);
}
