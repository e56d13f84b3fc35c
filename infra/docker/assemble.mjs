// Copies what one workspace needs to run, and nothing else, from a built checkout:
//
//   assemble.mjs services/auth /out
//
// `npm prune --omit=dev` knows a checkout as a whole: it would keep what development serves.
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const [workspace, target] = process.argv.slice(2);
if (!workspace || !target)
  throw new Error('Say what and where to: assemble.mjs services/auth /out');

/** Files that only a compiler or a debugger reads. */
const NOT_RUN = /[.]d[.][cm]?ts$|[.]map$|[.]tsbuildinfo$/;
const seen = new Set();
add(path.join(ROOT, workspace));

const { main = './dist/main.js' } = manifestOf(path.join(ROOT, workspace));
writeFileSync(path.join(target, 'main.mjs'), `import './${path.join(workspace, main)}';\n`);
writeFileSync(path.join(target, 'telemetry.mjs'), telemetryOf(path.basename(workspace)));

// Read as the top package.json of a checkout is (packages/telemetry/src/build.ts), with the commit that built it.
const { version, type } = manifestOf(ROOT);
const gitHead = process.env.COMMIT || undefined;
writeFileSync(path.join(target, 'package.json'), JSON.stringify({ version, type, gitHead }));

/**
 * Returns the text of telemetry.mjs, which Node loads before main.mjs: a service starts its traces there, under its
 * name.
 */
function telemetryOf(name) {
  if (!existsSync(path.join(target, 'packages/telemetry'))) return '';
  const register = "await import('./packages/telemetry/dist/register/main.js');";
  return `process.env.OTEL_SERVICE_NAME ||= '${name}';\n${register}\n`;
}

/** A package's folder, and everything that is needed at run time from it. */
function add(folder) {
  if (seen.has(folder)) return;
  seen.add(folder);
  copy(folder);
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
    manifestOf(folder);
  const isOptional = (name) =>
    optionalDependencies?.[name] || peerDependenciesMeta?.[name]?.optional;
  for (const name of Object.keys({
    ...dependencies,
    ...optionalDependencies,
    ...peerDependencies,
  })) {
    const found = resolved(name, folder);
    if (found !== undefined) link(found);
    else if (!isOptional(name)) throw new Error(`${folder} needs ${name}, which is not installed.`);
  }
}

/** Returns the folder in which Node would find a package: in the nearest node_modules upwards. */
function resolved(name, from) {
  for (let folder = from; folder.startsWith(ROOT); folder = path.dirname(folder)) {
    const place = path.join(folder, 'node_modules', name);
    if (existsSync(place)) return place;
  }
  return undefined;
}

/** A workspace is a symlink in node_modules: both ends are needed. */
function link(place) {
  if (lstatSync(place).isSymbolicLink()) {
    const copied = inTarget(place);
    mkdirSync(path.dirname(copied), { recursive: true });
    if (!existsSync(copied) && !seen.has(place)) symlinkSync(readlinkSync(place), copied);
    seen.add(place);
  }
  add(realpathSync(place));
}

/** Copies a package's own files: those below its node_modules are other packages'. */
function copy(folder) {
  const isOurs = !path.relative(ROOT, folder).split(path.sep).includes('node_modules');
  mkdirSync(inTarget(folder), { recursive: true });
  for (const part of isOurs ? ['package.json', 'dist'] : ['.']) {
    copyAll(path.join(folder, part), path.join(inTarget(folder), part));
  }
}

function copyAll(from, to) {
  if (!statSync(from).isDirectory()) return copyFileSync(from, to);
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name === 'node_modules' || NOT_RUN.test(name)) continue;
    copyAll(path.join(from, name), path.join(to, name));
  }
}

function inTarget(place) {
  return path.join(target, path.relative(ROOT, place));
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
}
