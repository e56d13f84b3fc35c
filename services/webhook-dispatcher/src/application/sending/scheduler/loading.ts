import type { Target } from '../../job.js';
import { LOAD_MAX } from './limits.js';
import type { Context } from './messages.js';
import { deferToRead } from './policies.js';
import { becomeLoading, type Queue } from './queue.js';
import { clear, deleteQueue, leaveTurns } from './queues.js';
import type { State } from './state.js';

/** Has the webhook loaded, once more if a load of it is under way. */
export function want({ loading }: State, webhookId: string): void {
  loading.wanted.add(webhookId);
  loading.mayStart = true;
}

/** Has the webhook loaded, unless a load of it is under way. */
export function need(state: State, webhookId: string): void {
  if (state.loading.underWay?.has(webhookId) !== true) want(state, webhookId);
}

/** Starts a load of many webhooks, if some are wanted and no load is on. */
export function load({ state: { loading }, effects }: Context): void {
  if (!loading.mayStart || loading.underWay !== undefined || loading.wanted.size === 0) return;
  const webhookIds = [...loading.wanted].slice(0, LOAD_MAX);
  for (const id of webhookIds) loading.wanted.delete(id);
  loading.underWay = new Set(webhookIds);
  effects.push({ kind: 'load', webhookIds });
}

/** Ends a load. Returns each webhook that was loaded; `isLast`: no other load of it was requested meanwhile. */
export function endLoad(
  { loading }: State,
  webhookIds: readonly string[],
  targets: ReadonlyMap<string, Target>,
) {
  loading.underWay = undefined;
  return webhookIds.map((webhookId) => ({
    webhookId,
    target: targets.get(webhookId),
    isLast: !loading.wanted.has(webhookId),
  }));
}

/** Ends a failed load. The next one starts when a webhook is wanted again, or when the reader comes round. */
export function failLoad({ loading }: State, webhookIds: readonly string[]): void {
  loading.underWay = undefined;
  loading.mayStart = false;
  for (const id of webhookIds) loading.wanted.add(id);
}

/** Drops the queues of a shard that another replica may own now: what is known of its webhooks is out of date. */
export function loseShard(context: Context, shard: number): void {
  for (const queue of context.state.queues.values()) {
    if (queue.shard !== shard) continue;
    clear(context, queue);
    if (queue.underWay === 0 && queue.unwritten === 0) deleteQueue(context, queue);
    else {
      relearn(context, queue);
      deferToRead(context, queue);
    }
  }
}

/** Has the webhook loaded again without its breaker: another replica may have sent to it and know more by now. */
export function relearn(context: Context, queue: Queue): void {
  dropCircuit(context, queue);
  change(context, queue);
}

/** Has the webhook loaded before anything else is sent to it, since it may have changed. */
export function change({ state }: Context, queue: Queue): void {
  becomeLoading(queue);
  leaveTurns(state, queue);
  want(state, queue.webhookId);
}

/** Drops what was learned of the circuit. */
export function dropCircuit({ effects }: Context, queue: Queue): void {
  queue.circuit = 'unknown';
  effects.push({ kind: 'dropCircuit', webhookId: queue.webhookId });
}
