import type { Target } from '../job.js';
import { LOAD_MAX } from './limits.js';
import type { Context } from './messages.js';
import type { State } from './state.js';

/** Loads it as it is now, or later: once more if that is being done. */
export function want({ loading }: State, webhookId: string): void {
  loading.wanted.add(webhookId);
  loading.mayBegin = true;
}

/** Loads it, unless that is being done. */
export function need(state: State, webhookId: string): void {
  if (state.loading.underWay?.has(webhookId) !== true) want(state, webhookId);
}

/** Begins a load if somebody is wanted and none is on: many webhooks at a time. */
export function load({ state: { loading }, effects }: Context): void {
  if (!loading.mayBegin || loading.underWay !== undefined || loading.wanted.size === 0) return;
  const webhookIds = [...loading.wanted].slice(0, LOAD_MAX);
  for (const id of webhookIds) loading.wanted.delete(id);
  loading.underWay = new Set(webhookIds);
  effects.push({ kind: 'load', webhookIds });
}

/** Gives what is known now; `isLast`: nobody asked for it again meanwhile. */
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

/** After a failure a load begins when somebody asks again, or when the reader comes round. */
export function failLoad({ loading }: State, webhookIds: readonly string[]): void {
  loading.underWay = undefined;
  loading.mayBegin = false;
  for (const id of webhookIds) loading.wanted.add(id);
}
