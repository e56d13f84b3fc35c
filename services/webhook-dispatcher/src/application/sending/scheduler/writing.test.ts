import { describe, expect, it } from '@jest/globals';
import {
  GONE,
  job,
  kinds,
  resultsOf,
  Scheduled,
  TIMED_OUT,
  target,
} from '../../../../test/scheduled.js';
import type { AttemptRecord } from '../../job.js';
import { isBusy } from './in-hand.js';
import { RESULTS_BATCH_MAX, RESULTS_MAX } from './limits.js';

describe('writing results', () => {
  const answered = (count: number) => {
    const scheduled = new Scheduled();
    scheduled.accept(...Array.from({ length: count }, (_, n) => job(`w${n}.`, 1)));
    return scheduled;
  };

  it('writes them together, in the order in which they came', () => {
    const scheduled = answered(3);
    scheduled.answerAll();
    const ids = resultsOf(scheduled.pass(5)).map(({ job }) => job.deliveryId);
    expect(ids).toEqual(['w0.1', 'w1.1', 'w2.1']);
  });

  it('writes a full batch at once, and never a larger one', () => {
    const scheduled = answered(1);
    const [result] = resultsOf(scheduled.answer('w0.1'), scheduled.pass(5));
    const { attempts } = scheduled.state.batches;
    if (result) attempts.waiting = Array.from({ length: 2 * RESULTS_BATCH_MAX + 1 }, () => result);
    expect(resultsOf(scheduled.written([]))).toHaveLength(RESULTS_BATCH_MAX);
    const batch = attempts.waiting.slice(0, RESULTS_BATCH_MAX);
    expect(resultsOf(scheduled.written(batch))).toHaveLength(RESULTS_BATCH_MAX);
    expect(resultsOf(scheduled.written(batch))).toEqual([]);
    expect(resultsOf(scheduled.pass(10))).toHaveLength(1);
  });

  it.each([
    [1, 5],
    [3, 6],
    [50, 10],
  ])('follows a write that took %d ms after %d ms, so that slow writes are few', (tookMs, ms) => {
    const scheduled = answered(3);
    scheduled.answer('w0.1');
    const results = resultsOf(scheduled.pass(5));
    scheduled.do({ kind: 'written', batch: 'attempts', results, tookMs });
    scheduled.answer('w1.1');
    expect(resultsOf(scheduled.pass(ms - 1))).toEqual([]);
    scheduled.answer('w2.1');
    expect(resultsOf(scheduled.pass(1))).toHaveLength(2);
  });

  it('keeps them after a failure, and writes them again, later each time', () => {
    const scheduled = answered(1);
    scheduled.answer('w0.1');
    const results = resultsOf(scheduled.pass(5));
    for (const waitMs of [100, 200, 400, 800, 1_600, 2_000, 2_000]) {
      scheduled.do({ kind: 'writeFailed', batch: 'attempts' });
      expect(resultsOf(scheduled.pass(waitMs - 1))).toEqual([]);
      expect(resultsOf(scheduled.pass(1))).toEqual(results);
    }
  });

  it.each<[string, Partial<AttemptRecord>, number]>([
    ['attempts', {}, 1],
    ['attempts', TIMED_OUT, 1],
    ['exhausted', TIMED_OUT, 2],
    ['gone', GONE, 1],
    ['refused', { outcome: { kind: 'refused', reason: 'url_not_https' } }, 1],
  ])('puts a result into the batch `%s` by its outcome %j', (...one) => {
    const [batch, record, attempt] = one;
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1, { attempt }));
    const effects = [...scheduled.answer('a1', record), ...scheduled.pass(10)];
    expect(effects.filter(({ kind }) => kind === 'write')).toMatchObject([{ batch }]);
  });

  it.each([
    [1_000, true],
    [1_001, false],
  ])('wakes the reader for a retry after %d ms: %j', (delayMs, isWoken) => {
    const scheduled = new Scheduled();
    scheduled.targets.set('a', target('a', { retry: { delaysMs: [delayMs] } }));
    scheduled.accept(job('a', 1));
    const results = resultsOf(scheduled.answer('a1', TIMED_OUT), scheduled.pass(10));
    expect(kinds(scheduled.written(results)).includes('read')).toBe(isWoken);
  });

  it('stops the sending while too many wait', () => {
    const scheduled = answered(1);
    const [result] = resultsOf(scheduled.answer('w0.1'), scheduled.pass(5));
    const { attempts } = scheduled.state.batches;
    if (result) attempts.waiting = Array.from({ length: RESULTS_MAX }, () => result);
    scheduled.accept(job('a', 1));
    expect(scheduled.sent).not.toContain('a1');
    scheduled.written(attempts.waiting.slice(0, 1));
    expect(scheduled.sent).toContain('a1');
  });

  it('knows the webhook as failing from a failure until a success is written', () => {
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1));
    scheduled.finishAll();
    const takes = (n: number, as: Partial<AttemptRecord>) => {
      scheduled.accept(job('a', n));
      scheduled.written(resultsOf(scheduled.answer(`a${n}`, as), scheduled.pass(10)));
      return scheduled.offerAhead(job('a', n + 1), () => undefined);
    };
    expect([takes(2, { ...TIMED_OUT, totalMs: 1 }), takes(4, {})]).toEqual([false, true]);
  });

  it('keeps their shard busy until they are written, even of a webhook that was deleted meanwhile', () => {
    const scheduled = answered(1);
    scheduled.do({ kind: 'targetsLoaded', webhookIds: ['w0.'], targets: new Map() });
    const results = resultsOf(scheduled.answer('w0.1'), scheduled.pass(10));
    expect(isBusy(scheduled.state.inHand, 0)).toBe(true);
    scheduled.written(results);
    expect(isBusy(scheduled.state.inHand, 0)).toBe(false);
  });
});
