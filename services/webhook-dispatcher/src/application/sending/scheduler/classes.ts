import { LOOK_EVERY_MS, TICK_MS } from './limits.js';
import { type Line, lineOf, RESPONSIVE_MAX_MS } from './pace.js';
import { type Queue, type Queued, targetOf } from './queue.js';
import type { Attempt, ClassName, EndpointClass, State } from './state.js';

/**
 * Lines that share the unresponsive class: its slots are given to them in turn, so that a line of ten thousand
 * endpoints that never answer takes a third of the free slots while others wait.
 */
const UNRESPONSIVE_LINES: readonly Line[] = ['slow', 'new', 'failing'];
const CLASSES: readonly ClassName[] = ['responsive', 'unresponsive'];

const linesOf = (name: ClassName): readonly Line[] =>
  name === 'responsive' ? ['responsive'] : UNRESPONSIVE_LINES;

export const classOf = (line: Line): ClassName =>
  line === 'responsive' ? 'responsive' : 'unresponsive';

const isFull = ({ taken, limit }: EndpointClass): boolean => taken >= limit;

/** Returns whether endpoints that do not answer soon wait for each other. */
export const isThrottling = ({ classes }: State): boolean => isFull(classes.unresponsive);

/** Returns the next queue of a class with a free slot, taken out of its turns. */
export function nextQueue(state: State): Queue | undefined {
  const { classes, lines } = state;
  const responsive = isFull(classes.responsive) ? undefined : lines.responsive.next();
  if (responsive !== undefined || isFull(classes.unresponsive)) return responsive;
  for (let tried = 0; tried < UNRESPONSIVE_LINES.length; tried++) {
    const line = UNRESPONSIVE_LINES[state.nextLine] ?? 'new';
    state.nextLine = (state.nextLine + 1) % UNRESPONSIVE_LINES.length;
    const queue = lines[line].next();
    if (queue !== undefined) return queue;
  }
  return undefined;
}

const isShort = ({ classes, lines }: State, name: ClassName): boolean =>
  isFull(classes[name]) &&
  classes[name].limit < classes[name].limits.max &&
  linesOf(name).some((line) => !lines[line].isEmpty());

/** Plans to grow each full class for which queues wait, by a slot in each tick. */
export function planGrowth(state: State, nowMs: number): void {
  if (state.growAtMs !== undefined || !CLASSES.some((name) => isShort(state, name))) return;
  state.growAtMs = nowMs + TICK_MS;
}

export function grow(state: State): void {
  for (const name of CLASSES) {
    if (isShort(state, name)) state.classes[name].limit++;
  }
}

/** Starts an attempt, which takes a slot of its class. */
export function startAttempt(
  state: State,
  queue: Queue,
  { job, decided }: Queued,
  { target, epoch, startedMs }: Pick<Attempt, 'target' | 'epoch' | 'startedMs'>,
): Attempt {
  const name = classOf(lineOf(queue.pace));
  const { detached } = queue;
  const attempt: Attempt = {
    queue,
    job,
    decided,
    target,
    epoch,
    startedMs,
    detached,
    class: name,
    hasEnded: false,
  };
  state.classes[name].taken++;
  queue.underWay++;
  if (queue.pace.kind !== 'slow') {
    state.watched.push(attempt);
    state.lookAtMs ??= startedMs + LOOK_EVERY_MS;
  }
  return attempt;
}

/**
 * Ends an attempt, whose slot is free again. An attempt that hung lowers the limit as well, so that the next ones of
 * its kind start a few at a time.
 */
export function endAttempt(state: State, attempt: Attempt, hasHung: boolean): void {
  if (isAttached(attempt)) attempt.queue.underWay--;
  attempt.hasEnded = true;
  const one = state.classes[attempt.class];
  one.taken--;
  if (hasHung) shrink(one);
}

function shrink(one: EndpointClass): void {
  one.limit = Math.max(one.limits.min, one.limit - 1);
}

/** Detaches the attempts under way from the webhook: they keep their slots, and no longer count towards its limit. */
export function detach(queue: Queue): void {
  queue.detached++;
  queue.underWay = 0;
}

export const isAttached = ({ queue, detached }: Attempt): boolean => queue.detached === detached;

/**
 * Moves attempts that take long to the unresponsive class, each with its slot. Returns the queues that are slow now.
 */
export function findSlow(state: State, nowMs: number): readonly Queue[] {
  const underWay = state.watched.filter((attempt) => !attempt.hasEnded);
  const isSlow = ({ startedMs }: Attempt) => nowMs - startedMs >= RESPONSIVE_MAX_MS;
  const slow = underWay.filter(isSlow);
  state.watched = underWay.filter((attempt) => !isSlow(attempt));
  state.lookAtMs = state.watched.length > 0 ? nowMs + LOOK_EVERY_MS : undefined;
  for (const attempt of slow.filter((one) => one.class === 'responsive')) {
    const { responsive, unresponsive } = state.classes;
    responsive.taken--;
    shrink(responsive);
    attempt.class = 'unresponsive';
    unresponsive.taken++;
    unresponsive.limit = Math.min(unresponsive.limits.max, unresponsive.limit + 1);
  }
  return slow.filter(isAttached).map(({ queue }) => queue);
}

/**
 * Returns whether the webhook is still the one that the attempt was sent to, as far as anything is known. A new load
 * alone does not make an attempt outdated: most loads find the webhook unchanged, above all a new one, and an answer
 * that counts for nothing would leave a failing webhook among the healthy ones.
 */
export const isCurrentAttempt = ({ queue, target }: Attempt): boolean =>
  targetOf(queue)?.version === target.version && target.version >= queue.wantedVersion;
