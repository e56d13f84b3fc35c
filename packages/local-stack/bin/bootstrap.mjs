// Makes sure of what must be there before anything of ours can be imported. Has no dependency, because it installs
// them. Nothing here is newer than Node 18, so that an old Node gets as far as saying that it is too old.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  enginesOf,
  inOneMessage,
  nodeMistake,
  startMistakes,
} from '../src/preflight/preflight.mjs';
import { say, withBar } from './progress.mjs';

/** The top of the checkout. */
export const ROOT = path.resolve(fileURLToPath(import.meta.url), '../../../..');

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const PARENT_CHECK_MS = 250;

/** Ends the process, with every reason, when `npm start` could not start with this environment. */
export async function requireUsable(env) {
  const mistakes = await startMistakes(env, ROOT);
  if (mistakes.length > 0) endWith(inOneMessage(mistakes));
}

/**
 * Installs what node_modules lacks of package-lock.json: what building and running need and, with `checks`, what only
 * checks and tests need (every devDependencies). Ends the process on failure.
 */
export async function ensureInstalled({ checks = false } = {}) {
  const mistake = nodeMistake(process.versions.node, enginesOf(ROOT));
  if (mistake !== undefined) endWith(mistake);
  const installed = packagesOf(path.join(ROOT, 'node_modules', '.package-lock.json'));
  // Checks that were installed before stay: an install that omits them would delete them.
  const all = checks || Object.values(installed ?? {}).some(({ dev }) => dev === true);
  const wanted = Object.entries(packagesOf(path.join(ROOT, 'package-lock.json')) ?? {}).filter(
    ([place, { dev }]) => place.startsWith('node_modules/') && (all || dev !== true),
  );
  const lacking = wanted.filter((one) => !isInstalled(one, installed ?? {}));
  if (wanted.length > 0 && lacking.length === 0) return;

  const began = performance.now();
  say(`Installing ${lacking.length} packages with npm …`);
  const places = lacking.map(([place]) => path.join(ROOT, place, 'package.json'));
  const part = () => places.filter((file) => existsSync(file)).length / places.length;
  const npm = [
    // An install that exists is completed in place, because a product may be running from it.
    ...(installed ? ['install', '--no-save'] : ['ci']),
    all ? '--include=dev' : '--omit=dev',
    // Nothing here needs an install script, so none gets to run.
    '--ignore-scripts',
    '--no-progress',
    '--no-update-notifier',
  ];
  const installing = run('npm', npm, () => undefined);
  if ((await withBar(part, installing)) !== 0) endWith('The dependencies are not installed.');
  say(`Installed in ${secondsSince(began)} s.`);
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

/**
 * Returns whether a package of the lock file is in place. npm writes another lock file into node_modules, which omits
 * optional packages of other platforms.
 */
function isInstalled([place, { version, integrity, link, optional, devOptional }], installed) {
  const found = installed[place];
  if (found === undefined) return optional === true || devOptional === true;
  const isSame = found.version === version && found.integrity === integrity;
  return (link === true || isSame) && existsSync(path.join(ROOT, place));
}

function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/**
 * Runs a program to its end and gives its exit code; a signal to us is one to it, and ends us too.
 * Its output is ours, unless somebody wants to hear the lines of its standard output; then the others are said.
 */
export async function run(command, args, onLine) {
  const piped = onLine === undefined ? 'inherit' : 'pipe';
  const child = spawn(command, args, { cwd: ROOT, stdio: ['inherit', piped, piped] });
  if (onLine !== undefined) {
    createInterface({ input: child.stdout }).on('line', onLine);
    createInterface({ input: child.stderr }).on('line', say);
  }
  let asked;
  const passOn = (signal) => {
    asked = signal;
    child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, passOn);
  const [code] = await once(child, 'close').catch((error) => {
    console.error(`${command}: ${error.message}`);
    return [1];
  });
  for (const signal of SIGNALS) process.off(signal, passOn);
  if (asked !== undefined) process.exit(128 + constants.signals[asked]);
  return code;
}

/** Returns the seconds since a time on the clock of `performance.now()`, for the reader. */
export const secondsSince = (beganMs) => ((performance.now() - beganMs) / 1_000).toFixed(1);

/** Ends the process as failed. */
export function endWith(message) {
  console.error(message);
  process.exit(1);
}
