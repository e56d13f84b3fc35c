import { expect, it } from '@jest/globals';
import { useProduct } from '@junction/demo';
import { GUIDES, runGuides } from './run-guides.js';

const MINUTE = 60_000;
const product = useProduct();

// A page that needs another one before it, or spoils another one after it, fails in this order or in the other one.
it(
  'the guides work as they are printed, all in one shell, from the last to the first',
  async () => {
    expect(await runGuides(product(), 'zsh', GUIDES.toReversed())).toEqual([]);
  },
  5 * MINUTE,
);
