import { randomInt } from 'node:crypto';
import path from 'node:path';
import { LocalStackError } from '@junction/local-stack';
import { type Options, parseOptions, UsageError } from './options.js';
import { report } from './report.js';
import { run } from './run/run.js';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const SEEDS = 2 ** 32;
const BROKEN = 1;
const USAGE = 2;
const INTERRUPTED = 130;

const say = (line: string): void => console.log(line);

async function main({ seed = randomInt(SEEDS), kills }: Options, signal: AbortSignal) {
  const dataDir = path.resolve(ROOT, process.env['JUNCTION_DATA_DIR'] || '.junction');
  const dir = path.join(dataDir, 'chaos', `${seed}`);
  say(`Seed ${seed}, ${kills} kills. Again: npm run chaos -- --seed ${seed} --kills ${kills}`);
  const beganMs = performance.now();
  const outcome = await run({ seed, kills, dir, env: process.env, say, signal });
  const seconds = (performance.now() - beganMs) / 1_000;
  for (const line of report({ ...outcome, seed, seconds, dir })) say(line);
  if (outcome.violations.length > 0) process.exitCode = BROKEN;
}

// Whatever it started is ended, and its data deleted, before it ends.
const interrupt = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => interrupt.abort());
}

try {
  await main(parseOptions(process.argv.slice(2)), interrupt.signal);
} catch (error) {
  if (interrupt.signal.aborted) process.exit(INTERRUPTED);
  const isForeseen = error instanceof UsageError || error instanceof LocalStackError;
  console.error(isForeseen ? error.message : error);
  process.exitCode = error instanceof UsageError ? USAGE : BROKEN;
}
