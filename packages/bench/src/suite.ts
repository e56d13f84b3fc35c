import type { Budgets } from './budgets.js';

/** What was measured, by name; the unit or `ratio` ends the name. */
export type Figures = Readonly<Record<string, number>>;

/** How a suite is run. */
export interface BenchRun {
  readonly env: NodeJS.ProcessEnv;
  /** Small counts: shows that the suite works. Its figures say nothing. */
  readonly quick: boolean;
  /** Of the suite's parts; none: all of them. */
  readonly only: readonly string[];
  readonly say: (line: string) => void;
  /** Calls the run off. */
  readonly signal: AbortSignal;
}

/**
 * Something to be measured. A file of suites/ exports one as `suite`, and its name is the suite's. It
 * starts what it needs, talks to 127.0.0.1 only, and ends what it started, also when it fails.
 */
export interface Suite {
  /** In a line. */
  readonly what: string;
  /** What `--only` may choose from; absent: it is measured as a whole. */
  readonly parts?: readonly string[];
  readonly budgets: Budgets;
  /** Rejects when there is nothing worth comparing: requests failed, events were lost. */
  run(run: BenchRun): Promise<Figures>;
}
