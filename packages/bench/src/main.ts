import { readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { withCapacityTables } from './capacity-page.js';
import { findSuites, UsageError } from './find-suites.js';
import { withBudgetTable } from './performance-page.js';
import { type Records, recordsIn, resultOf, tableOf } from './report.js';
import type { Suite } from './suite.js';

const ROOT = path.resolve(import.meta.dirname, '../../..');
/** Pages with a table made from the accepted runs. */
const PAGES = [
  [path.join(ROOT, 'docs/performance.md'), withBudgetTable],
  [path.join(ROOT, 'docs/capacity.md'), withCapacityTables],
] as const;

const USAGE = `npm run bench -- [suite …] [--only part]… [--quick | --scale part | --accept]
  --only    a part of a suite that has some; nothing is written down
  --quick   small counts, to see that a suite works; nothing is written down
  --scale   a part of the size that year has, such as 0.05; nothing is written down
  --accept  measures nothing: makes the last run in bench/results the one others are compared with,
            and writes the tables of docs/performance.md and docs/capacity.md`;

interface Options {
  readonly quick: boolean;
  readonly scale: number | undefined;
  readonly accept: boolean;
  readonly only: readonly string[];
  readonly suites: readonly string[];
}

function optionsIn(args: string[]): Options {
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        quick: flag,
        accept: flag,
        scale: { type: 'string' },
        only: { type: 'string', multiple: true, default: [] },
      },
    });
    return { ...values, scale: scaleIn(values.scale), suites: positionals };
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${USAGE}`);
  }
}

/** Throws when it is not a number above 0, up to 1. */
function scaleIn(text: string | undefined): number | undefined {
  const scale = text === undefined ? undefined : Number(text);
  if (scale === undefined || (scale > 0 && scale <= 1)) return scale;
  throw new Error(`--scale is a number above 0, up to 1, and not "${text}".`);
}

async function measure(
  name: string,
  suite: Suite,
  { quick, scale, only }: Options,
  records: Records,
  signal: AbortSignal,
): Promise<void> {
  const unknown = only.filter((part) => suite.parts?.includes(part) !== true);
  if (unknown.length > 0) {
    const parts = suite.parts?.join(', ') ?? 'none';
    throw new UsageError(`${name} has no part "${unknown.join('", "')}". Its parts: ${parts}.`);
  }
  console.error(`${name}: ${suite.what}`);
  const say = (line: string) => console.error(`  ${line}`);
  const figures = await suite.run({ env: process.env, quick, scale, only, say, signal });
  const result = resultOf(name, figures, ROOT);
  const isWhole = !quick && scale === undefined;
  if (isWhole && only.length === 0) records.write(result);
  console.log(tableOf(result, suite.budgets, isWhole ? records.baseline()[name] : undefined));
}

async function main(off: AbortController): Promise<void> {
  const wanted = optionsIn(process.argv.slice(2));
  const records = recordsIn(path.join(ROOT, 'bench'));
  for (const [name, suite] of await findSuites(wanted.suites)) {
    if (wanted.accept) {
      const result = records.read(name);
      records.accept(result);
      console.log(tableOf(result, suite.budgets, undefined));
      for (const [file, withTable] of PAGES) {
        writeFileSync(file, withTable(readFileSync(file, 'utf8'), records.baseline()));
      }
    } else {
      await measure(name, suite, wanted, records, off.signal);
    }
  }
}

const off = new AbortController();
let signalled: NodeJS.Signals | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    signalled = signal;
    off.abort(new Error('The bench was called off.'));
  });
}
await main(off).catch((error: unknown) => {
  if (!signalled) console.error(error instanceof UsageError ? error.message : error);
  process.exitCode = signalled ? 128 + constants.signals[signalled] : 1;
});
