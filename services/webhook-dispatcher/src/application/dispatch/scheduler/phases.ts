import type { Target } from '../job.js';
import type { Context } from './messages.js';
import type { Phase, Queue, State } from './state.js';

/** The webhook as it was loaded last. */
export const targetOf = ({ phase }: Queue): Target | undefined => phase.target;

/** The number of the read during which jobs of it were last left to the table; 0: none waits there. */
export const leftIn = ({ phase }: Queue): number => (phase.kind === 'active' ? 0 : phase.leftIn);

export const isLoaded = ({ phase }: Queue): boolean => phase.kind !== 'loading';

/** Its jobs wait in the table, until it is resumed or its circuit lets a probe through. */
export const isResting = ({ phase }: Queue): boolean =>
  phase.kind === 'resting' && phase.target.status !== 'disabled';

/** Jobs of it wait in the table, and those that come later must not overtake them. */
export function leave({ state }: Context, queue: Queue): void {
  const { phase } = queue;
  queue.phase =
    phase.kind === 'active'
      ? { kind: 'overflowed', target: phase.target, leftIn: state.reads }
      : { ...phase, leftIn: state.reads };
}

/** A read brought all that waited in the table, unless more was left there since it began. */
export function caughtUp(state: State, queue: Queue): void {
  const { phase } = queue;
  if (phase.kind === 'active' || phase.leftIn >= state.reads) return;
  queue.phase =
    phase.kind === 'overflowed'
      ? { kind: 'active', target: phase.target }
      : { ...phase, leftIn: 0 };
}

/** It is to be loaded before anything else is sent. */
export function unsettle(queue: Queue): void {
  queue.phase = { kind: 'loading', target: targetOf(queue), leftIn: leftIn(queue) };
}

/** The webhook is known as it is. */
export function settle(queue: Queue, target: Target): void {
  queue.phase = phaseOf(target, queue.circuit === 'open', leftIn(queue));
}

/** Its circuit opened, or did not stay open. */
export function resettle(queue: Queue): void {
  const { phase } = queue;
  if (phase.kind !== 'loading') settle(queue, phase.target);
}

function phaseOf(target: Target, isOpen: boolean, left: number): Phase {
  if (target.status !== 'active' || isOpen) return { kind: 'resting', target, leftIn: left };
  return left > 0 ? { kind: 'overflowed', target, leftIn: left } : { kind: 'active', target };
}
