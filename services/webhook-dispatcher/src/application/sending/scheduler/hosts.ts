import type { Job } from '../../job.js';
import {
  HOST_CREDIT,
  HOST_CREDIT_BYTES,
  HOST_CREDIT_MAX,
  HOST_CREDIT_PER_2XX,
  HOST_CREDIT_PER_S,
  HOSTS_MAX,
  RELEASE_EVERY_MS,
} from './limits.js';
import type { Context } from './messages.js';
import { readAnew } from './policies.js';
import { type Host, isHeld, overflow, type Queue } from './queue.js';
import { clear } from './queues.js';
import { TokenBucket } from './token-buckets.js';
import { Turns } from './turns.js';

/**
 * Hosts, and the credit that each has with webhooks of all users. Who names a url need not own what it leads to: so a
 * webhook that has not answered 2xx, or not the last time, is sent to on the credit of its host, which starts low and
 * grows with each 2xx of any webhook there. One whose last answer was 2xx needs none, whatever others do to its host.
 */

/** Sets the host of the webhook as it was loaded. */
export function joinHost({ state, nowMs }: Context, queue: Queue, url: string): void {
  const name = new URL(url).hostname;
  const { host } = queue;
  if (host?.name === name) return;
  host?.held.delete(queue);
  queue.hasCredit = false;
  const { hosts, queues } = state;
  if (hosts.size >= HOSTS_MAX) {
    hosts.clear();
    for (const { host: kept } of queues.values()) if (kept) hosts.set(kept.name, kept);
  }
  queue.host = hosts.get(name) ?? newHost(name, nowMs);
  hosts.set(name, queue.host);
}

const newHost = (name: string, nowMs: number): Host => ({
  name,
  credit: new TokenBucket(HOST_CREDIT_PER_S, nowMs, HOST_CREDIT),
  held: new Turns(),
});

/** Returns whether the webhook answered 2xx last. Also a 4xx is an answer, so the base alone does not tell. */
const isProven = ({ pace, isFailing }: Queue): boolean => pace.baseMs !== undefined && !isFailing;

/** Returns whether the next request may go: to a webhook that is not proven, on credit that no other waits for. */
export function mayContact(queue: Queue, nowMs: number): boolean {
  const { host } = queue;
  if (host === undefined || isProven(queue) || queue.hasCredit) return true;
  return host.held.isEmpty() && host.credit.waitMs(nowMs) === 0;
}

/** Has the queue wait for credit. Its jobs would take room from others meanwhile, and are left to the table. */
export function hold(context: Context, queue: Queue): void {
  const { state, nowMs } = context;
  const { host } = queue;
  if (host === undefined) return;
  const [next] = queue.jobs;
  if (next !== undefined) queue.neededCredit = costOf(next.job);
  if (clear(context, queue)) overflow(state, queue);
  host.held.add(queue);
  state.holding.add(host);
  state.releaseAtMs ??= nowMs + RELEASE_EVERY_MS;
}

/** Takes the credit for a request, unless its webhook is proven. */
export function takeCredit(queue: Queue, job: Job, nowMs: number): void {
  const { host, hasCredit, neededCredit } = queue;
  queue.hasCredit = false;
  if (host === undefined || isProven(queue)) return;
  host.credit.take(nowMs, costOf(job) - (hasCredit ? neededCredit : 0));
}

/** Raises the credit of the host by the request that was answered 2xx, and two more like it. */
export function giveCredit(context: Context, { host }: Queue, job: Job): void {
  if (host === undefined) return;
  host.credit.give(context.nowMs, HOST_CREDIT_PER_2XX * costOf(job), HOST_CREDIT_MAX);
  if (!host.held.isEmpty()) release(context, host);
}

/** Lets queues go on whose hosts have credit again. */
export function releaseHeld(context: Context): void {
  context.state.releaseAtMs = undefined;
  for (const host of context.state.holding) release(context, host);
}

/** Lets a queue go on that waits for credit, and needs none any more. */
export function freeIfProven(context: Context, queue: Queue): void {
  if (!isHeld(queue) || !isProven(queue)) return;
  queue.host?.held.delete(queue);
  letRead(context, queue);
}

function release(context: Context, host: Host): void {
  const { state, nowMs } = context;
  const { credit, held } = host;
  while (credit.waitMs(nowMs) === 0) {
    const queue = held.next();
    if (queue === undefined) break;
    credit.take(nowMs, queue.neededCredit);
    queue.hasCredit = true;
    letRead(context, queue);
  }
  if (held.isEmpty()) state.holding.delete(host);
  else state.releaseAtMs ??= nowMs + RELEASE_EVERY_MS;
}

function letRead(context: Context, queue: Queue): void {
  readAnew(context, queue);
  context.effects.push({ kind: 'read' });
}

const costOf = ({ body }: Job): number => Math.max(1, body.length / HOST_CREDIT_BYTES);
