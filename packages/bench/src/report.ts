import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { type Budget, type Budgets, budgetInWords, isKept, shown } from './budgets.js';
import { UsageError } from './find-suites.js';
import type { Figures } from './suite.js';

const result = z.object({
  suite: z.string(),
  /** Commit that was measured, with the suffix `-dirty` when there were changes on top. */
  commit: z.string(),
  node: z.string(),
  cpu: z.string(),
  at: z.string(),
  figures: z.record(z.string(), z.number()),
});
const baseline = z.record(z.string(), result);

/** A run of a suite, as it is written down. */
export type Result = Readonly<z.infer<typeof result>>;
export type Baseline = Readonly<z.infer<typeof baseline>>;

export const resultOf = (suite: string, figures: Figures, root: string): Result => ({
  suite,
  commit: execFileSync('git', ['describe', '--always', '--dirty'], {
    cwd: root,
    encoding: 'utf8',
  }).trim(),
  node: process.version,
  cpu: `${os.cpus().length} × ${os.cpus()[0]?.model ?? 'unknown'}`,
  at: new Date().toISOString(),
  figures,
});

/** The stored runs: bench/results/<suite>.json, and bench/baseline.json for the accepted ones. */
export interface Records {
  write(result: Result): void;
  /** Throws UsageError when the suite has not been run here. */
  read(suite: string): Result;
  baseline(): Baseline;
  /** Makes this run the one that later runs are compared with. */
  accept(result: Result): void;
}

export function recordsIn(folder: string): Records {
  const file = (suite: string) => path.join(folder, 'results', `${suite}.json`);
  const baselineFile = path.join(folder, 'baseline.json');
  const readBaseline = () =>
    existsSync(baselineFile) ? baseline.parse(readJson(baselineFile)) : {};
  return {
    write(result) {
      mkdirSync(path.join(folder, 'results'), { recursive: true });
      writeJson(file(result.suite), result);
    },
    read(suite) {
      if (existsSync(file(suite))) return result.parse(readJson(file(suite)));
      throw new UsageError(`There is no run of ${suite} here. First: npm run bench -- ${suite}`);
    },
    baseline: readBaseline,
    accept: (result) => writeJson(baselineFile, { ...readBaseline(), [result.suite]: result }),
  };
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));
const writeJson = (file: string, value: object): void =>
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

/** A run as a table in Markdown: each figure with its budget and, for information, the accepted run's. */
export function tableOf(
  { suite, commit, cpu, node, at, figures }: Result,
  budgets: Budgets,
  accepted: Result | undefined,
): string {
  const rows = Object.entries(figures).map(([name, value]) => {
    const before = accepted?.figures[name];
    const change = before === undefined || before === 0 ? '' : (value / before).toFixed(2);
    return `| ${name} | ${shown(value)} | ${budgetOf(value, budgets[name])} | ${change} |`;
  });
  return [
    `${suite}: ${commit}, ${at}, Node ${node}, ${cpu}`,
    '',
    '| figure | value | budget | × accepted |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function budgetOf(value: number, budget: Budget | undefined): string {
  if (!budget) return '';
  return `${budgetInWords(budget)}${isKept(value, budget) ? '' : ', missed'}`;
}
