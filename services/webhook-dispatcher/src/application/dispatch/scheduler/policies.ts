import { fifo } from './fifo.js';
import { ordered } from './ordered.js';
import { targetOf } from './phases.js';
import type { Policy } from './policy.js';
import type { Queue } from './state.js';

/** Returns the policy of a queue; until its webhook is loaded, that of most queues. */
export const policyOf = (queue: Queue): Policy =>
  targetOf(queue)?.ordered === true ? ordered : fifo;
