import type { Target } from '../job.js';
import type { Context } from './messages.js';
import type { Phase, Queue, State } from './state.js';

/** Returns the webhook as it was loaded last. */
export const targetOf = ({ phase }: Queue): Target | undefined => phase.target;

/** Returns the number of the read during or after which jobs were last left to the table; 0: none waits there. */
export const leftIn = ({ phase }: Queue): number => (phase.kind === 'active' ? 0 : phase.leftIn);

export const isLoaded = ({ phase }: Queue): boolean => phase.kind !== 'loading';

/** Returns whether jobs wait in the table until the webhook is resumed or its circuit lets a probe through. */
export const isResting = ({ phase }: Queue): boolean =>
  phase.kind === 'resting' && phase.target.status !== 'disabled';

/** Notes that jobs of the webhook wait in the table: later ones must not overtake them. */
export function leave({ state }: Context, queue: Queue): void {
  const { phase } = queue;
  queue.phase =
    phase.kind === 'active'
      ? { kind: 'overflowed', target: phase.target, leftIn: state.reads }
      : { ...phase, leftIn: state.reads };
}

/** Notes that a read found all that was due of the webhook, unless more was left to the table since the read began. */
export function caughtUp(state: State, queue: Queue): void {
  const { phase } = queue;
  if (phase.kind === 'active' || phase.leftIn >= state.reads) return;
  queue.phase =
    phase.kind === 'overflowed'
      ? { kind: 'active', target: phase.target }
      : { ...phase, leftIn: 0 };
}

/** Has the webhook loaded before anything else is sent to it. */
export function unsettle(queue: Queue): void {
  queue.phase = { kind: 'loading', target: targetOf(queue), leftIn: leftIn(queue) };
}

/** Takes in the webhook as a load found it. */
export function settle(queue: Queue, target: Target): void {
  queue.phase = phaseOf(target, queue.circuit === 'open', leftIn(queue));
}

/** Follows a circuit that opened or did not stay open. While the webhook is loading, its load decides. */
export function resettle(queue: Queue): void {
  const { phase } = queue;
  if (phase.kind !== 'loading') settle(queue, phase.target);
}

function phaseOf(target: Target, isOpen: boolean, left: number): Phase {
  if (target.status !== 'active' || isOpen) return { kind: 'resting', target, leftIn: left };
  return left > 0 ? { kind: 'overflowed', target, leftIn: left } : { kind: 'active', target };
}
