import { ANSWERED_OVER_MS, LOOK_EVERY_MS, NEEDED_TIMES, TICK_MS } from './limits.js';
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

/** Returns whether new endpoints wait for slow ones, and so perhaps for long. */
export const isThrottling = ({ classes: { unresponsive }, slow }: State): boolean =>
  isFull(unresponsive) && slow > unresponsive.taken / 2;

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

/** Notes which classes are full while queues wait, and plans to raise the limits that rise without answers. */
export function planAdapting(state: State, nowMs: number): void {
  for (const name of CLASSES) {
    const one = state.classes[name];
    one.isShort = isFull(one) && linesOf(name).some((line) => !state.lines[line].isEmpty());
    if (one.isShort && one.limit < one.limits.steady) state.adaptAtMs ??= nowMs + TICK_MS;
  }
}

/** Raises the limits of classes that are short by a slot, up to where a limit rises without answers. */
export function adapt({ classes }: State): void {
  for (const one of Object.values(classes)) {
    if (one.isShort && one.limit < one.limits.steady) one.limit++;
  }
}

/**
 * Notes a prompt answer, of whose time its receiver needed this part. While a class is short, its limit follows
 * Little's law: attempts under way are the rate of answers times their latency. The limit triples with a round of
 * answers whose receivers needed all of the time, stays when they needed a third of it, and falls when attempts only
 * wait for each other.
 */
export function answered(one: EndpointClass, needed: number, nowMs: number): void {
  const kept = Math.max(0, 1 - (nowMs - one.answeredAtMs) / ANSWERED_OVER_MS);
  one.answered = one.answered * kept + 1;
  one.answeredAtMs = nowMs;
  if (!one.isShort) return;
  const { steady, max } = one.limits;
  const wanted = one.limit + NEEDED_TIMES * needed - 1;
  one.limit = Math.min(max, Math.max(wanted, Math.min(one.limit, steady)));
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
    isSlow: queue.pace.kind === 'slow',
    hasEnded: false,
  };
  state.classes[name].taken++;
  queue.underWay++;
  if (attempt.isSlow) state.slow++;
  else {
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
  if (attempt.isSlow) state.slow--;
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

/** Finds attempts that take long, and moves them to the unresponsive class, each with its slot. */
export function findLate(state: State, nowMs: number): readonly Attempt[] {
  const underWay = state.watched.filter((attempt) => !attempt.hasEnded);
  const isLate = ({ startedMs }: Attempt) => nowMs - startedMs >= RESPONSIVE_MAX_MS;
  const late = underWay.filter(isLate);
  state.watched = underWay.filter((attempt) => !isLate(attempt));
  state.lookAtMs = state.watched.length > 0 ? nowMs + LOOK_EVERY_MS : undefined;
  for (const attempt of late) {
    attempt.isSlow = true;
    state.slow++;
    if (attempt.class !== 'responsive') continue;
    const { responsive, unresponsive } = state.classes;
    responsive.taken--;
    shrink(responsive);
    attempt.class = 'unresponsive';
    unresponsive.taken++;
    unresponsive.limit = Math.min(unresponsive.limits.max, unresponsive.limit + 1);
  }
  return late;
}

/**
 * Returns whether the webhook is still the one that the attempt was sent to, as far as anything is known. A new load
 * alone does not make an attempt outdated: most loads find the webhook unchanged, above all a new one, and an answer
 * that counts for nothing would leave a failing webhook among the healthy ones.
 */
export const isCurrentAttempt = ({ queue, target }: Attempt): boolean =>
  targetOf(queue)?.version === target.version && target.version >= queue.wantedVersion;
