import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Whatever changes a database or a topic. */
const SCHEMA = [
  'services/*/migrations/*.ts',
  'packages/*/src/migrations.ts',
  'packages/*/src/**/migrations/*.ts',
  'packages/kafka/src/topics.ts',
];

/** The page whose commit is the first version that is upgraded from. No migrations are folded after it. */
const PROMISE = 'docs/decisions/0040-migrations-are-one-a-subject.md';

/** A checkout of an earlier version, built. */
export interface EarlierVersion {
  readonly root: string;
  readonly commit: string;
  remove(): void;
}

/**
 * Builds the version that was landed before the newest change of a schema, in a folder of its own: production runs
 * that version when the change comes. Nothing older than the version of `PROMISE` is built. Uses the dependencies that
 * are installed at `root`.
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

/** Links the packages of the product, whatever their names, to those at `to`, and all others to those at `from`. */
function linkDependencies(from: string, to: string): void {
  const workspaces = workspacesOf(to);
  linkModules(path.join(from, 'node_modules'), path.join(to, 'node_modules'));
  mkdirSync(path.join(to, 'node_modules/@junction'));
  for (const workspace of workspaces) {
    const folder = path.join(to, workspace);
    const { name, dependencies = {} } = manifestOf(folder);
    symlinkSync(folder, path.join(to, 'node_modules', name));
    // A workspace may have been part of another one then: its own modules may lie in any workspace.
    for (const installed of workspacesOf(from)) {
      linkModules(
        path.join(from, installed, 'node_modules'),
        path.join(folder, 'node_modules'),
        (module) => installed === workspace || module in dependencies,
      );
    }
  }
}

function linkModules(from: string, to: string, isWanted = (_module: string) => true): void {
  if (!existsSync(from)) return;
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const link = path.join(to, name);
    if (name === '@junction' || name.startsWith('.') || !isWanted(name) || existsSync(link))
      continue;
    symlinkSync(path.join(from, name), link);
  }
}

const workspacesOf = (root: string): readonly string[] =>
  ['packages', 'services'].flatMap((room) =>
    readdirSync(path.join(root, room)).map((name) => path.join(room, name)),
  );

const manifestOf = (workspace: string): Manifest =>
  JSON.parse(readFileSync(path.join(workspace, 'package.json'), 'utf8')) as Manifest;

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}
