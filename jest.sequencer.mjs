import Sequencer from '@jest/test-sequencer';

/** Dearest first. */
const PRICES = ['slow', 'tools', 'e2e', 'int', 'unit'];

/** Take most of a minute or more: where no run is remembered, jest takes small files for short and leaves them for the end. */
const LONGEST =
  /\/(dashboard\/test\/\w+|(demo|docs)\/test\/(guides|docs|manifests-config))\.tools\.test\.ts$|\/(start|operators|developers|vending)\.e2e\.test\.ts$/;

/**
 * The longest, and then one file of each price in turn, each price in jest's own order. Most e2e and int files wait,
 * tools and unit files compute: side by side they take less time, and no long one is left for the end.
 */
export default class extends Sequencer {
  sort(tests) {
    const ordered = super.sort(tests);
    const isLongest = ({ path }) => LONGEST.test(path);
    return [...ordered.filter(isLongest), ...inTurn(ordered.filter((test) => !isLongest(test)))];
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
