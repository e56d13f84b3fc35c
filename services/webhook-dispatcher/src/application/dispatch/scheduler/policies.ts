import { fifo } from './fifo.js';
import { ordered } from './ordered.js';
import { targetOf } from './phases.js';
import type { Policy } from './policy.js';
import type { Queue } from './state.js';

/** Until the webhook is loaded its queue is like most others. */
export const policyOf = (queue: Queue): Policy =>
  targetOf(queue)?.ordered === true ? ordered : fifo;
