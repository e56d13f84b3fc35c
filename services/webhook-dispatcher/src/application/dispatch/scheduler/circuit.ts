import type { CircuitChange } from '../circuits.js';
import { SUSPECTED_AT_ONCE } from './limits.js';
import type { Circuit, Queue } from './state.js';

/** Returns whether the circuit lets one more attempt through while `underWay` others are under way. */
export function isAtEase({ circuit }: Queue, underWay: number): boolean {
  switch (circuit) {
    case 'unknown':
      return true;
    case 'suspected':
      return underWay < SUSPECTED_AT_ONCE;
    case 'half-open':
      return true;
    case 'open':
    case 'probing':
      return false;
  }
}

/** Returns the state that a change leads to. A closed circuit keeps its breaker, which goes on counting. */
export const circuitAfter = ({ to }: CircuitChange): Circuit =>
  to === 'closed' ? 'suspected' : to;

/** Returns the state after an attempt that changed nothing: only then is it seen whether the webhook has a breaker. */
export const seenAs = (circuit: Circuit, isSuspected: boolean): Circuit =>
  circuit === 'unknown' || circuit === 'suspected'
    ? isSuspected
      ? 'suspected'
      : 'unknown'
    : circuit;
