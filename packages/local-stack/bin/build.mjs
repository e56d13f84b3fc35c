// Builds what changed, and says so while it does.
import path from 'node:path';
import { isSiteCurrent } from '../../dashboard/bin/site.mjs';
import { areDocsCurrent } from '../../docs/bin/site.mjs';
import { endWith, ROOT, run, secondsSince } from './bootstrap.mjs';

const TSC = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
/** Options that leave colours out, so that the lines can be told apart. */
const PLAIN = ['--pretty', 'false'];
/** Sites that are built besides the code, each with a check whether its build is current. */
const SITES = [
  { words: "the dashboard's page", name: 'dashboard', isCurrent: isSiteCurrent },
  { words: 'the documentation', name: 'docs', isCurrent: areDocsCurrent },
];

/**
 * Compiles what changed since the last time, everything or one workspace; silent when nothing did.
 * Ends the process on failure.
 */
export async function ensureBuilt(workspace = '.') {
  const began = performance.now();
  const { stale, current } = await look(workspace);
  const sites = workspace === '.' ? SITES.filter(({ isCurrent }) => !isCurrent()) : [];
  const isEverythingBuilt = stale.length === 0 && current.length > 0;
  if (isEverythingBuilt && sites.length === 0) return;

  console.error(reason(stale, current));
  if (!isEverythingBuilt) await compile(workspace, stale.length);
  for (const { words, name } of sites) {
    console.error(`  ${words}`);
    const program = path.join(ROOT, 'packages', name, 'bin', 'build.mjs');
    if ((await run(process.execPath, [program])) !== 0) endWith('The build failed.');
  }
  console.error(`Built in ${secondsSince(began)} s.`);
}

/** Why there is something to build. */
function reason(stale, current) {
  if (current.length === 0) return 'Building everything, up to a minute the first time …';
  const count = `${stale.length} of ${stale.length + current.length} packages and services`;
  return `Building what changed since the last build${stale.length > 0 ? ` (${count})` : ''} …`;
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

/** Passes on what the compiler finds wrong; of what it is doing, the names of the projects. */
async function compile(workspace, count) {
  let step = 0;
  const args = [TSC, '-b', workspace, '--verbose', ...PLAIN];
  const code = await run(process.execPath, args, (line) => {
    const [, project] = /Building project '(.+)\/tsconfig\.json'/.exec(line) ?? [];
    if (project !== undefined) console.error(`  ${++step}/${Math.max(step, count)} ${project}`);
    else if (!PROGRESS.test(line)) console.error(line);
  });
  if (code !== 0) endWith('The build failed.');
}

/** Other lines that `--verbose` prints: an empty line, a project of the list, a remark on a project. */
const PROGRESS = /^$|^ {4}\* .*tsconfig\.json$|^\d\d:\d\d:\d\d [AP]M - /;
