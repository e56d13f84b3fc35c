// Builds what changed, and says so while it does.
import path from 'node:path';
import { isSiteCurrent } from '../../dashboard/bin/site.mjs';
import { areDocsCurrent } from '../../docs/bin/site.mjs';
import { endWith, ROOT, run, secondsSince } from './bootstrap.mjs';
import { say, withBar } from './progress.mjs';

const TSC = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
/** Options that leave colours out, so that the lines can be told apart. */
const PLAIN = ['--pretty', 'false'];
/** Sites that are built besides the code, each with a check whether its build is current. */
const SITES = [
  { words: 'the dashboard', name: 'dashboard', isCurrent: isSiteCurrent },
  { words: 'the documentation', name: 'docs', isCurrent: areDocsCurrent, runsCode: true },
];

/**
 * Compiles what changed since the last time, everything or one workspace; silent when nothing did.
 * Ends the process on failure.
 */
export async function ensureBuilt(workspace = '.') {
  const began = performance.now();
  const { stale, current } = await look(workspace);
  const sites = workspace === '.' ? SITES.filter(({ isCurrent }) => !isCurrent()) : [];
  const isCompiled = stale.length === 0 && current.length > 0;
  if (isCompiled && sites.length === 0) return;

  const code = `${stale.length} of ${stale.length + current.length} packages and services`;
  const parts = [...(isCompiled ? [] : [code]), ...sites.map(({ words }) => words)];
  say(`Building ${new Intl.ListFormat('en').format(parts)} …`);
  let done = 0;
  const step = () => (done += 1);
  const compiled = isCompiled ? Promise.resolve(0) : compile(workspace, step);
  const built = sites.map(async ({ name, runsCode }) => {
    if (runsCode && (await compiled) !== 0) return 1;
    const program = path.join(ROOT, 'packages', name, 'bin', 'build.mjs');
    return run(process.execPath, [program], say).finally(step);
  });
  const codes = Promise.all([compiled, ...built]);
  const isBuilt = (await withBar(() => done / (stale.length + sites.length), codes)).every(
    (exitCode) => exitCode === 0,
  );
  if (!isBuilt) endWith('The build failed.');
  say(`Built in ${secondsSince(began)} s.`);
}

/** Which projects would be built, and which would not: tsc knows in a quarter of a second. */
async function look(workspace) {
  const stale = [];
  const current = [];
  await run(process.execPath, [TSC, '-b', workspace, '--dry', ...PLAIN], (line) => {
    const [, text, project] = /^(.*)'(.+)'/.exec(line) ?? [];
    if (project !== undefined) (text.includes('would build') ? stale : current).push(project);
  });
  return { stale, current };
}

/** Passes on what the compiler finds wrong; of what it is doing, that a project is begun. Returns its exit code. */
function compile(workspace, step) {
  const args = [TSC, '-b', workspace, '--verbose', ...PLAIN];
  return run(process.execPath, args, (line) => {
    if (line.includes("Building project '")) step();
    else if (!PROGRESS.test(line)) say(line);
  });
}

/** Other lines that `--verbose` prints: an empty line, a project of the list, a remark on a project. */
const PROGRESS = /^$|^ {4}\* .*tsconfig\.json$|^\d\d:\d\d:\d\d [AP]M - /;
