import { describe, expect, it } from '@jest/globals';
import { job, kinds, many, OPENING, Scheduled, target } from '../../../../test/scheduled.js';
import {
  JOBS_MAX,
  KEPT_FOR_DUE,
  READY_BELOW_IN_HAND,
  READY_BELOW_JOBS,
  SLOW_QUEUE_JOBS_MAX,
  UNRESPONSIVE_AT_ONCE,
  UNRESPONSIVE_JOBS_MAX,
} from './limits.js';
import { roomForOthers } from './queues.js';
import { blocked, isReady, known, quick } from './reading.js';
import { newState } from './state.js';

describe('taking in more deliveries', () => {
  it('waits while webhooks that answer have much to do', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 0.6 * READY_BELOW_JOBS), ...many('b', 0.6 * READY_BELOW_JOBS));
    expect(isReady(scheduled.state)).toBe(false);
    scheduled.writes = true;
    while (scheduled.underWay.size > 0) scheduled.answerAll();
    scheduled.pass(100);
    expect(isReady(scheduled.state)).toBe(true);
  });

  it('waits for webhooks that were never tried, until they show that they are slow', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 600), ...many('b', 600));
    expect(isReady(scheduled.state)).toBe(false);
    scheduled.pass(600);
    expect(isReady(scheduled.state)).toBe(true);
    expect(blocked(scheduled.state)).toEqual(['a', 'b']);
    expect(roomForOthers(scheduled.state)).toBe(UNRESPONSIVE_JOBS_MAX - 2 * SLOW_QUEUE_JOBS_MAX);
  });

  it('waits for new webhooks, until most that were tried do not answer', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...Array.from({ length: 1_100 }, (_, n) => job(`w${n}.`, 1)));
    expect(isReady(scheduled.state)).toBe(false);
    scheduled.pass(600);
    expect(isReady(scheduled.state)).toBe(true);
  });

  it('counts the backlog of a webhook no higher than what that answers in a second', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 900));
    expect(isReady(scheduled.state)).toBe(false);
    scheduled.answer('a1', { totalMs: 100 });
    expect(isReady(scheduled.state)).toBe(true);
    expect(scheduled.state.waiting.responsive).toBe(50);
  });

  it.each([
    [{ slow: 9 }, 0, false],
    [{ slow: 10 }, 0, true],
    [{ new: 10 }, 32, false],
    [{ new: 10 }, 33, true],
  ])(
    'leaves out what slow webhooks have in hand, and new ones while most hang: %j, %d of 64',
    (...one) => {
      const [queued, slow, isTaken] = one;
      const state = Object.assign(newState(), { slow });
      const { unresponsive } = state.classes;
      unresponsive.taken = unresponsive.limit;
      const inHand = READY_BELOW_IN_HAND + unresponsive.taken + 9;
      for (let n = 0; n < inHand; n++) state.inHand.ids.add(`${n}`);
      Object.assign(state.queued, queued);
      expect(isReady(state)).toBe(isTaken);
    },
  );

  it('lets as many wait as are answered in a quarter of a second', () => {
    const scheduled = new Scheduled();
    scheduled.writes = true;
    scheduled.accept(...many('a', 700), ...many('b', 700));
    for (; scheduled.nowMs < 100; scheduled.pass(1)) {
      for (const [deliveryId] of [...scheduled.underWay].slice(0, 8)) scheduled.answer(deliveryId);
    }
    const waiting = scheduled.state.inHand.ids.size - scheduled.underWay.size;
    expect(waiting).toBeGreaterThan(READY_BELOW_JOBS);
    expect(isReady(scheduled.state)).toBe(true);
  });
});

describe('reading what is due', () => {
  it('has room beside webhooks that never answer, and is woken when there is more', () => {
    const scheduled = new Scheduled();
    const hanging = Array.from({ length: JOBS_MAX }, (_, n) => job(`w${n}.`, 1));
    expect(kinds(scheduled.accept(...hanging))).not.toContain('read');
    const kept = roomForOthers(scheduled.state);
    expect(kept).toBe(KEPT_FOR_DUE + UNRESPONSIVE_AT_ONCE.start);
    const reads = kinds(scheduled.pass(10_000)).filter((kind) => kind === 'read');
    expect(reads).toHaveLength(1);
    const room = roomForOthers(scheduled.state);
    expect(room).toBeGreaterThan(kept);
    expect(scheduled.read(...hanging.slice(-1_000))).toBe(1_000 - room);
    expect(roomForOthers(scheduled.state)).toBe(0);
  });

  it('is turned away by webhooks that rest or are ordered, and for shards of others', () => {
    const scheduled = new Scheduled();
    scheduled.targets.set('paused', target('paused', { status: 'paused' }));
    scheduled.targets.set('ordered', target('ordered', { ordered: true }));
    const jobs = [job('paused', 1), job('ordered', 1)];
    scheduled.accept(...jobs);
    expect(scheduled.read(...jobs)).toBe(2);
    scheduled.epoch = undefined;
    expect(scheduled.read(job('a', 1))).toBe(1);
    expect([...known(scheduled.state)]).toEqual([
      ['paused', 1],
      ['ordered', 1],
    ]);
  });

  it('finds responsive webhooks by themselves, but none that is blocked', () => {
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1), job('b', 1));
    scheduled.answer('a1', { totalMs: 600 });
    scheduled.answer('b1');
    expect(quick(scheduled.state)).toEqual(['b']);
    scheduled.do({ ...OPENING, webhookId: 'b' });
    expect(quick(scheduled.state)).toEqual([]);
  });

  it('takes up no delivery that was finished during the read', () => {
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1));
    scheduled.do({ kind: 'readStarted' });
    scheduled.finishAll();
    scheduled.endRead(job('a', 1));
    expect(scheduled.sent).toEqual(['a1']);
  });
});
