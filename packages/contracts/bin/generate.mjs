#!/usr/bin/env node
// proto/ → packages/contracts/src/gen and proto/landed.binpb, in the folder it is run in.
//
//   generate.mjs          lints proto/, compares it with the image of the landed protos, and writes both
//   generate.mjs --check  the same into a temporary folder; fails when the files are not exactly that
//
// Protos that break a reader of the landed ones are refused. To break one on purpose, delete the image first.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const ROOT = process.cwd();
const GENERATED = 'packages/contracts/src/gen';
const IMAGE = 'proto/landed.binpb';
const DEADLINE_MS = 120_000;

// The shim finds the binary in the platform's own npm package: no install script, no download.
const BUF = createRequire(import.meta.url).resolve('@bufbuild/buf/bin/buf');

const flags = new Set(process.argv.slice(2));
const unknown = [...flags].filter((flag) => flag !== '--check');
if (unknown.length > 0) fail(`Unknown option ${unknown.join(', ')}: --check is known.`);

buf('lint');
buf('format', '--diff', '--exit-code');
if (existsSync(join(ROOT, IMAGE))) buf('breaking', '--against', IMAGE);
inTemporaryFolder(flags.has('--check') ? check : write);

function write(fresh) {
  rmSync(join(ROOT, GENERATED), { recursive: true, force: true });
  cpSync(join(fresh, GENERATED), join(ROOT, GENERATED), { recursive: true });
  cpSync(join(fresh, IMAGE), join(ROOT, IMAGE));
}

function check(fresh) {
  const [wanted, present] = [filesIn(fresh), filesIn(ROOT)];
  const stale = [...new Set([...wanted.keys(), ...present.keys()])].filter(
    (path) => wanted.get(path) !== present.get(path),
  );
  if (stale.length === 0) return;
  fail(`Not what proto/ becomes: ${stale.join(', ')}. Run \`npm run generate\`.`);
}

/** Path → content of every file that is made; none where there is none. */
function filesIn(root) {
  const generated = join(root, GENERATED);
  const sources = existsSync(generated)
    ? readdirSync(generated, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
    : [];
  const image = join(root, IMAGE);
  const paths = existsSync(image) ? [...sources, image] : sources;
  return new Map(paths.map((path) => [relative(root, path), readFileSync(path, 'latin1')]));
}

function inTemporaryFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'junction-generate-'));
  // The folder is removed at exit, because `use` may end the process by fail().
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  buf('generate', '--output', folder);
  mkdirSync(join(folder, 'proto'));
  // Without comments, so that it changes with the contracts alone.
  buf('build', '--exclude-source-info', '--output', join(folder, IMAGE));
  describe(folder);
  use(folder);
}

/** The image again, as a module that gRPC reflection needs no path for at run time. */
function describe(folder) {
  const base64 = readFileSync(join(folder, IMAGE)).toString('base64');
  const text = `/** A google.protobuf.FileDescriptorSet of proto/, in base64. */\nexport const DESCRIPTORS =\n  '${base64}';\n`;
  writeFileSync(join(folder, GENERATED, 'descriptors.ts'), text);
}

function buf(...args) {
  const { status, error } = spawnSync(process.execPath, [BUF, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    timeout: DEADLINE_MS,
  });
  if (error) fail(`buf ${args[0]} could not run: ${error.message}`);
  if (status === 0) return;
  const advice =
    args[0] === 'breaking' ? ` To break readers on purpose, delete ${IMAGE} first.` : '';
  fail(`buf ${args[0]} failed.${advice}`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
