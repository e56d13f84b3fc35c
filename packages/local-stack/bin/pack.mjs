#!/usr/bin/env node
// npm run pack: a tarball of each package that others install (those with publishConfig), in .junction/packages or in
// the folder that is named. Other packages of this repository that such a package needs go into its tarball.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { endWith, ensureInstalled, ROOT } from './bootstrap.mjs';
import { ensureBuilt } from './build.mjs';

const read = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
const { engines, version } = read(path.join(ROOT, 'package.json'));
const { stdout: commit } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' });

await ensureInstalled();
await ensureBuilt();
const workspaces = new Map(
  fs.readdirSync(path.join(ROOT, 'packages')).flatMap((room) => {
    const folder = path.join(ROOT, 'packages', room);
    // A package that moved away leaves what was built of it.
    if (!fs.existsSync(path.join(folder, 'package.json'))) return [];
    const manifest = { ...read(path.join(folder, 'package.json')), version };
    return [[manifest.name, { folder, manifest }]];
  }),
);
const target = path.resolve(process.argv[2] ?? path.join(ROOT, '.junction', 'packages'));
fs.mkdirSync(target, { recursive: true });
for (const file of fs.readdirSync(target)) {
  // The file is a tarball of an earlier run.
  if (/^junction-.*\.tgz$/.test(file)) fs.rmSync(path.join(target, file));
}
for (const workspace of workspaces.values()) {
  if (workspace.manifest.publishConfig) console.log(path.join(target, pack(workspace)));
}

/** Makes the tarball of a workspace, from a folder with exactly what belongs in it. Returns the file's name. */
function pack(workspace) {
  const stage = fs.mkdtempSync(path.join(tmpdir(), 'junction-pack-'));
  try {
    const bundled = bundledWith(workspace);
    place(workspace, stage, publishedManifest(workspace, bundled));
    fs.cpSync(path.join(workspace.folder, 'README.md'), path.join(stage, 'README.md'));
    for (const file of Object.values(workspace.manifest.bin ?? {})) {
      fs.cpSync(path.join(workspace.folder, file), path.join(stage, file));
    }
    for (const each of bundled) {
      const { name, license, type, exports } = each.manifest;
      const manifest = { name, version, license, type, exports: built(exports) };
      place(each, path.join(stage, 'node_modules', name), manifest);
    }
    return npmPack(stage);
  } finally {
    fs.rmSync(stage, { recursive: true });
  }
}

/** Returns the workspaces that this one depends on, directly or through others. */
function bundledWith({ manifest }, found = new Set()) {
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    const workspace = workspaces.get(name);
    if (workspace === undefined || found.has(workspace)) continue;
    found.add(workspace);
    bundledWith(workspace, found);
  }
  return [...found];
}

/**
 * Returns the manifest of the tarball. Dependencies of bundled packages become its own and stand nowhere else: when a
 * bundled manifest names them, a global install of npm takes them for bundled too and leaves empty folders.
 */
function publishedManifest({ manifest }, bundled) {
  const { private: _private, publishConfig: _, devDependencies: _dev, exports, ...kept } = manifest;
  const dependencies = {};
  for (const each of [manifest, ...bundled.map(({ manifest }) => manifest)]) {
    for (const [name, wanted] of Object.entries(each.dependencies ?? {})) {
      const range = workspaces.get(name)?.manifest.version ?? wanted;
      if ((dependencies[name] ??= range) === range) continue;
      endWith(`${manifest.name}: ${name} is wanted as ${dependencies[name]} and as ${range}.`);
    }
  }
  const bundleDependencies = bundled.map(({ manifest }) => manifest.name);
  // npm packs the files of `bin` without being told.
  const files = ['dist'];
  return {
    ...kept,
    ...(exports && { exports: built(exports) }),
    files,
    engines: { node: engines.node },
    // npm's name for the commit of a package; absent where there is no checkout of git.
    ...(commit && { gitHead: commit.trim() }),
    dependencies,
    bundleDependencies,
  };
}

/** Returns the exports without the condition by which this repository finds the source. */
function built(exports) {
  const entries = Object.entries(exports).map(([entry, conditions]) => {
    const { '@junction/source': _, ...published } = conditions;
    return [entry, published];
  });
  return Object.fromEntries(entries);
}

/**
 * Copies the compiled code whose source still exists, without the comments that lead to source maps: maps are not
 * packed.
 */
function place({ folder }, to, manifest) {
  fs.mkdirSync(to, { recursive: true });
  const dist = path.join(folder, 'dist');
  for (const file of fs.readdirSync(dist, { recursive: true })) {
    const source = path.join(folder, 'src', file.replace(/(\.d)?\.[jt]s$/, '.ts'));
    if (!/\.[jt]s$/.test(file) || !fs.existsSync(source)) continue;
    const code = fs.readFileSync(path.join(dist, file), 'utf8');
    fs.mkdirSync(path.dirname(path.join(to, 'dist', file)), { recursive: true });
    fs.writeFileSync(path.join(to, 'dist', file), code.replace(/^\/\/# sourceMappingURL=.*$/m, ''));
  }
  fs.cpSync(path.join(ROOT, 'LICENSE'), path.join(to, 'LICENSE'));
  fs.writeFileSync(path.join(to, 'package.json'), JSON.stringify(manifest, undefined, 2));
}

function npmPack(folder) {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', target];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) endWith(stderr);
  const answer = JSON.parse(stdout);
  return Object.values(answer)[0].filename;
}
