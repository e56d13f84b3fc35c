import { leave, leftIn } from './phases.js';
import type { Policy } from './policy.js';

/**
 * Policy of most webhooks: first in, first out, many at once. Fresh jobs join while nothing older was left to the
 * table; a failed delivery waits there for its time, and holds nobody up.
 */
export const fifo: Policy = {
  takes: (queue, source) => source !== 'fresh' || leftIn(queue) === 0,
  turnedAway: leave,
  mayBegin: () => true,
  failed() {},
  finished() {},
  isReadApart: () => false,
};
