import { leave, leftIn } from './phases.js';
import type { Policy } from './policy.js';

/**
 * First in, first out, many at once. What comes fresh joins while nothing older waits in the table; a delivery that
 * failed waits there for its time, and holds nobody up.
 */
export const fifo: Policy = {
  takes: (queue, source) => source !== 'fresh' || leftIn(queue) === 0,
  turnedAway: leave,
  mayBegin: () => true,
  failed() {},
  finished() {},
  isReadApart: () => false,
};
