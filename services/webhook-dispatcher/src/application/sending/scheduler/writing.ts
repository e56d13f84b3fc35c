import type { BatchName, Job, Result } from '../../job.js';
import { finish } from './in-hand.js';
import {
  FLUSH_AFTER_MAX_MS,
  FLUSH_AFTER_MS,
  FLUSH_AFTER_TIMES,
  SOON_MS,
  WRITE_RETRY_FIRST_MS,
  WRITE_RETRY_MAX_MS,
} from './limits.js';
import type { Context, InputOf } from './messages.js';
import { policyOf } from './policies.js';
import { consider } from './sending.js';
import { BATCHES, type Batch } from './state.js';

/**
 * Chooses the statement for a result. An exhausted delivery is also published, and a webhook that is gone is disabled
 * together with its delivery, so each of them has a batch of its own.
 */
function batchOf({ fact, record }: Result): BatchName {
  if (record.outcome.kind === 'refused') return 'refused';
  if (fact.type !== 'delivery.exhausted') return 'attempts';
  return fact.data.gone ? 'gone' : 'exhausted';
}

/** Queues a result, to be written together with others that come soon. */
export function pushResult({ state, nowMs }: Context, result: Result): void {
  const batch = state.batches[batchOf(result)];
  batch.waiting.push(result);
  plan(batch, nowMs);
}

/** Writes the batches that have waited long enough: one statement for many deliveries. */
export function flush({ state, effects, nowMs }: Context): void {
  for (const name of BATCHES) {
    const batch = state.batches[name];
    if (batch.dueAtMs === undefined || batch.dueAtMs > nowMs) continue;
    batch.dueAtMs = undefined;
    batch.isWriting = true;
    effects.push({ kind: 'write', batch: name, results: batch.waiting.slice(0, batch.max) });
  }
}

export function written(
  context: Context,
  { batch: name, results, tookMs }: InputOf<'written'>,
): void {
  const batch = context.state.batches[name];
  batch.isWriting = false;
  batch.failures = 0;
  batch.tookMs = tookMs;
  batch.waiting = batch.waiting.slice(results.length);
  plan(batch, context.nowMs);
  for (const { job, fact } of results) {
    const queue = context.state.queues.get(job.webhookId);
    if (queue) queue.isFailing = fact.type !== 'delivery.succeeded';
    finished(context, job);
  }
  if (results.some(isSoonAgain)) context.effects.push({ kind: 'read' });
}

/** Keeps the results, to be written again after a while. */
export function writeFailed(
  { state, nowMs }: Context,
  { batch: name }: InputOf<'writeFailed'>,
): void {
  const batch = state.batches[name];
  batch.isWriting = false;
  batch.failures++;
  plan(batch, nowMs);
}

/** Drops a delivery that is written from what is in hand. */
export function finished(context: Context, job: Job): void {
  const { queues, inHand } = context.state;
  finish(inHand, job);
  const queue = queues.get(job.webhookId);
  if (queue === undefined) return;
  queue.unwritten = Math.max(0, queue.unwritten - 1);
  policyOf(queue).finished(context, queue);
  consider(context, queue);
}

function plan(batch: Batch, nowMs: number): void {
  if (batch.isWriting || batch.waiting.length === 0) return;
  const atMs = nowMs + delayMs(batch);
  batch.dueAtMs = Math.min(batch.dueAtMs ?? atMs, atMs);
}

function delayMs({ failures, waiting, max, tookMs }: Batch): number {
  if (failures > 0) return Math.min(WRITE_RETRY_MAX_MS, WRITE_RETRY_FIRST_MS * 2 ** (failures - 1));
  if (waiting.length >= max) return 0;
  return Math.min(FLUSH_AFTER_MAX_MS, Math.max(FLUSH_AFTER_MS, tookMs * FLUSH_AFTER_TIMES));
}

/** Returns whether the retry is due before the reader looks again by itself. */
const isSoonAgain = ({ fact }: Result): boolean =>
  fact.type === 'delivery.attempt_failed' && fact.data.delayMs <= SOON_MS;
