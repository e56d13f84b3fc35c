import Sequencer from '@jest/test-sequencer';

/** The projects, the slowest first. */
const PRICES = ['slow', 'tools', 'e2e', 'int', 'unit'];

/**
 * Files that take most of a minute or longer. When jest remembers no earlier run, it orders files by their size, and
 * would leave these, which are small, for the end.
 */
const LONGEST = [
  /\/dashboard\/test\/(dashboard|webhooks)\.tools\.test\.ts$/,
  /\/(cli|demo|docs|integrations)\/test\/(docs|guides|manifests-config|start|operators|developers|integrations)\.(tools|e2e)\.test\.ts$/,
];

/**
 * The longest, and then one file of each price in turn, each price in jest's own order. Most e2e and int files wait,
 * tools and unit files compute: side by side they take less time, and no long one is left for the end.
 */
export default class extends Sequencer {
  sort(tests) {
    const ordered = super.sort(tests);
    const longest = LONGEST.flatMap((group) => ordered.filter(({ path }) => group.test(path)));
    return [...longest, ...inTurn(ordered.filter((test) => !longest.includes(test)))];
  }
}

const inTurn = (tests) =>
  PRICES.flatMap((price, rank) =>
    tests
      .filter(({ context }) => context.config.displayName?.name === price)
      .map((test, turn) => ({ test, turn, rank })),
  )
    .sort((a, b) => a.turn - b.turn || a.rank - b.rank)
    .map(({ test }) => test);
