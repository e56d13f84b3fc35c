import type { Budgets } from './budgets.js';

/** Measured values by name. The name ends with the unit or with `ratio`. */
export type Figures = Readonly<Record<string, number>>;

/** The circumstances of a run of a suite. */
export interface BenchRun {
  readonly env: NodeJS.ProcessEnv;
  /** Whether counts are small, which only shows that the suite works: such figures mean nothing. */
  readonly quick: boolean;
  /** Part of the whole that a suite about a size makes, as in `--scale 0.05`; undefined: all of it. */
  readonly scale?: number | undefined;
  /** Parts of the suite to be run; empty: all. */
  readonly only: readonly string[];
  readonly say: (line: string) => void;
  /** Calls the run off. */
  readonly signal: AbortSignal;
}

/**
 * Something to be measured. A file of suites/ exports one as `suite`, and its name is the suite's. A suite starts
 * what it needs, talks to 127.0.0.1 only, and ends what it started, also when it fails.
 */
export interface Suite {
  /** Description of the suite in one line. */
  readonly what: string;
  /** Parts that `--only` can select; absent: the suite runs as a whole. */
  readonly parts?: readonly string[];
  readonly budgets: Budgets;
  /** Rejects when there is nothing worth comparing: requests failed, events were lost. */
  run(run: BenchRun): Promise<Figures>;
}

/** Measures the parts that are wanted, one after another, and gives the figures of all. */
export async function measureParts<Part>(
  { only, say }: Pick<BenchRun, 'only' | 'say'>,
  parts: Readonly<Record<string, Part>>,
  measure: (part: Part) => Promise<Figures>,
): Promise<Figures> {
  const figures: Figures[] = [];
  for (const [name, part] of Object.entries(parts)) {
    if (only.length > 0 && !only.includes(name)) continue;
    say(name);
    figures.push(await measure(part));
  }
  return Object.assign({}, ...figures) as Figures;
}
