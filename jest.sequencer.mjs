import Sequencer from '@jest/test-sequencer';

/** Dearest first. */
const PRICES = ['slow', 'tools', 'e2e', 'int', 'unit'];

/** Take minutes and are small: where no run is remembered, jest takes small files for short and leaves them for the end. */
const LONGEST = /dashboard\/test\/\w+\.tools\.test\.ts$/;

/**
 * One file of each price in turn, each price in jest's own order. Most e2e and int files wait, tools and unit
 * files compute: side by side they take less time, and no long one is left for the end.
 */
export default class extends Sequencer {
  sort(tests) {
    const isLongest = ({ path }) => LONGEST.test(path);
    const ordered = super.sort(tests).toSorted((a, b) => isLongest(b) - isLongest(a));
    const ofPrice = (price) =>
      ordered.filter(({ context }) => context.config.displayName?.name === price);
    return PRICES.flatMap((price, rank) =>
      ofPrice(price).map((test, turn) => ({ test, turn, rank })),
    )
      .sort((a, b) => a.turn - b.turn || a.rank - b.rank)
      .map(({ test }) => test);
  }
}
