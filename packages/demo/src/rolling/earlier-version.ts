import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Whatever changes a database or a topic. */
const SCHEMA = [
  'services/*/migrations/*.ts',
  'packages/*/src/migrations.ts',
  'packages/*/src/migrations/*.ts',
  'packages/kafka/src/topics.ts',
];

/** Since when versions are promised to work side by side: those before it are not upgraded from. */
const PROMISE = 'docs/decisions/0032-expand-then-contract.md';

/** A checkout of an earlier version, built. */
export interface EarlierVersion {
  readonly root: string;
  readonly commit: string;
  remove(): void;
}

/**
 * Builds the version that was landed before the newest change of a schema, in a folder of its own: production runs
 * that version when the change comes. Uses the dependencies that are installed at `root`.
 *
 * @throws when the history of `root` does not go back that far, as in a shallow clone
 */
export function earlierVersion(root: string): EarlierVersion {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, maxBuffer: 2 ** 30 });
  const patterns = SCHEMA.map((pattern) => `:(glob)${pattern}`);
  const newest = git('log', '-1', '--format=%H', '--', ...patterns)
    .toString()
    .trim();
  const before = git('rev-parse', '--verify', `${newest}^`).toString().trim();
  const promised = git('log', '--diff-filter=A', '--format=%H', '--', PROMISE).toString().trim();
  const isPromised = git('ls-tree', '--name-only', before, PROMISE).length > 0;
  const commit = isPromised ? before : promised;

  const folder = mkdtempSync(path.join(tmpdir(), 'junction-earlier-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    execFileSync('tar', ['-x'], { cwd: folder, input: git('archive', commit) });
    linkDependencies(root, folder);
    execFileSync(path.join(root, 'node_modules/.bin/tsc'), ['-b'], { cwd: folder });
    return { root: folder, commit, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Links the packages of the product to those at `to`, and all other packages to those installed at `from`. */
function linkDependencies(from: string, to: string): void {
  for (const workspace of ['.', ...workspacesOf(to)]) {
    const installed = path.join(from, workspace, 'node_modules');
    if (!existsSync(installed)) continue;
    const modules = path.join(to, workspace, 'node_modules');
    mkdirSync(modules, { recursive: true });
    for (const name of readdirSync(installed)) {
      const target = path.join(installed, name);
      if (name === '@junction') linkOurs(target, path.join(modules, name));
      else if (!name.startsWith('.')) symlinkSync(target, path.join(modules, name));
    }
  }
}

const workspacesOf = (root: string): readonly string[] =>
  ['packages', 'services'].flatMap((room) =>
    readdirSync(path.join(root, room)).map((name) => path.join(room, name)),
  );

/** The links of workspaces are relative: the same text leads to the packages beside them. */
function linkOurs(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from)) {
    const link = path.join(from, name);
    if (lstatSync(link).isSymbolicLink()) symlinkSync(readlinkSync(link), path.join(to, name));
  }
}
