import type { CircuitChange } from '../circuits.js';
import { SUSPECTED_AT_ONCE } from './limits.js';
import type { Circuit, Queue } from './state.js';

/** May its circuit let one more attempt through, beside so many? */
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

/** One that has closed has a breaker still, which counts. */
export const circuitAfter = ({ to }: CircuitChange): Circuit =>
  to === 'closed' ? 'suspected' : to;

/** After an attempt that changed nothing: only then is it seen that a breaker was made, or is gone. */
export const seenAs = (circuit: Circuit, isSuspected: boolean): Circuit =>
  circuit === 'unknown' || circuit === 'suspected'
    ? isSuspected
      ? 'suspected'
      : 'unknown'
    : circuit;
