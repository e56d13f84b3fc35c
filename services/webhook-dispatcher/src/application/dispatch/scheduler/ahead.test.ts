import { describe, expect, it } from '@jest/globals';
import { job, many, Scheduled, TIMED_OUT, target } from '../../../../test/scheduled.js';
import type { Job, Result, Target } from '../job.js';
import { isBusy } from './in-hand.js';

describe('a delivery whose row is not written', () => {
  it('is sent at once to a webhook that is known to answer', () => {
    const { scheduled, ahead } = knowing();
    expect(ahead(job('a', 2))).toBe(true);
    expect(scheduled.sent).toContain('a2');
  });

  it('is not taken for a webhook that is not known', () => {
    const { ahead } = knowing();
    expect(ahead(job('b', 1))).toBe(false);
  });

  it.each<[string, Partial<Target>]>([
    ['is paused', { status: 'paused' }],
    ['is disabled', { status: 'disabled' }],
    ['is ordered', { ordered: true }],
    ['has a rate limit', { rateLimit: 5 }],
  ])('is not taken for a webhook that %s', (_, as) => {
    const { scheduled, ahead } = knowing(as);
    expect(ahead(job('a', 2))).toBe(false);
    expect(scheduled.sent).not.toContain('a2');
  });

  it('is not taken when it has seen a newer version of its webhook', () => {
    const { ahead } = knowing();
    expect(ahead(job('a', 2, { webhookVersion: 2 }))).toBe(false);
  });

  it('is not taken for a shard that is another’s, or came back under another lease', () => {
    const { scheduled, ahead } = knowing();
    for (const epoch of [undefined, '2']) {
      scheduled.epoch = epoch;
      expect(ahead(job('a', 2))).toBe(false);
    }
  });

  it('is not taken for a webhook that answers late, or whose failures are counted', () => {
    const late = knowing();
    late.scheduled.accept(job('a', 2));
    late.scheduled.answer('a2', { totalMs: 600 });
    expect(late.ahead(job('a', 3))).toBe(false);
    const failing = knowing();
    failing.scheduled.accept(job('a', 2));
    failing.scheduled.answer('a2', { ...TIMED_OUT, totalMs: 1 }, true);
    expect(failing.ahead(job('a', 3))).toBe(false);
  });

  it('is not taken while something older waits in the table, or beyond what its user may send', () => {
    const { scheduled, ahead } = knowing();
    while (scheduled.state.users.admit('a', scheduled.nowMs));
    expect(ahead(job('a', 2))).toBe(false);
    scheduled.accept(job('a', 2));
    scheduled.nowMs = 1_000;
    expect(ahead(job('a', 3))).toBe(false);
  });

  it('is not taken twice, nor once sending has stopped', () => {
    const { scheduled, ahead } = knowing();
    expect([ahead(job('a', 2)), ahead(job('a', 2))]).toEqual([true, false]);
    scheduled.do({ kind: 'stopped' });
    expect(ahead(job('a', 3))).toBe(false);
  });

  it('is in hand until it is settled', () => {
    const { scheduled, ahead, decisions } = knowing();
    ahead(job('a', 2));
    expect(isBusy(scheduled.state.inHand, 0)).toBe(true);
    scheduled.answer('a2');
    expect(decisions).toMatchObject([['a2', { fact: { type: 'delivery.succeeded' } }]]);
    expect(inHand(scheduled)).toEqual({ ids: ['a2'], isBusy: true });
    expect(scheduled.read(job('a', 2))).toBe(0);
    scheduled.do({ kind: 'released', jobs: [job('a', 2)] });
    expect(inHand(scheduled)).toEqual({ ids: [], isBusy: false });
    expect(scheduled.sent.filter((id) => id === 'a2')).toHaveLength(1);
  });

  it('is like any other once it is filed', () => {
    const { scheduled, ahead, decisions } = knowing();
    ahead(job('a', 2));
    scheduled.do({ kind: 'stored', jobs: [job('a', 2)], results: [] });
    scheduled.answer('a2');
    expect(decisions).toEqual([]);
    expect(scheduled.pass(10)).toMatchObject([{ kind: 'write', batch: 'attempts' }]);
  });

  it('has its failure written when it is filed with it', () => {
    const { scheduled, ahead, decisions } = knowing();
    ahead(job('a', 2));
    scheduled.answer('a2', TIMED_OUT);
    const results = decisions.flatMap(([, result]) => result ?? []);
    scheduled.do({ kind: 'stored', jobs: [job('a', 2)], results });
    expect(scheduled.pass(10)).toMatchObject([{ kind: 'write', results }]);
    scheduled.written(results);
    expect(inHand(scheduled)).toEqual({ ids: [], isBusy: false });
  });

  it.each<[string, (scheduled: Scheduled) => unknown]>([
    ['its webhook is paused', (it) => it.becomes('a', { version: 2, status: 'paused' })],
    ['its webhook becomes ordered', (it) => it.becomes('a', { version: 2, ordered: true })],
    ['its webhook gets a rate limit', (it) => it.becomes('a', { version: 2, rateLimit: 5 })],
    ['its webhook is disabled', (it) => it.becomes('a', { version: 2, status: 'disabled' })],
    ['its shard is lost', (it) => it.do({ kind: 'shardLost', shard: 0 })],
    ['sending stops', (it) => it.do({ kind: 'stopped' })],
  ])('is let go unsent when %s', (_, happen) => {
    const { scheduled, ahead, decisions } = knowing();
    for (const one of many('a', 50).slice(1)) ahead(one);
    const waiting = 49 - scheduled.underWay.size;
    happen(scheduled);
    expect(decisions).toHaveLength(waiting);
    expect(decisions.every(([, result]) => result === undefined)).toBe(true);
    expect(scheduled.state.inHand.ids.size).toBe(scheduled.underWay.size);
  });

  it('is found in the table when it is filed after it was let go', () => {
    const { scheduled, ahead, decisions } = knowing();
    for (const one of many('a', 50).slice(1)) ahead(one);
    scheduled.becomes('a', { version: 2, status: 'paused' });
    const last = job('a', 50);
    expect(decisions.map(([id]) => id)).toContain(last.deliveryId);
    const effects = scheduled.do({ kind: 'stored', jobs: [last], results: [] });
    expect(effects).toEqual([{ kind: 'read' }]);
  });

  it('is in hand no more when it is given up, but under way until it ends', () => {
    const { scheduled, ahead, decisions } = knowing();
    const jobs = many('a', 50).slice(1);
    for (const one of jobs) ahead(one);
    scheduled.do({ kind: 'released', jobs });
    expect(scheduled.state.inHand.ids.size).toBe(scheduled.underWay.size);
    expect(ahead(job('a', 2))).toBe(false);
    scheduled.answerAll();
    expect(decisions).toEqual([]);
    expect(inHand(scheduled)).toEqual({ ids: [], isBusy: false });
  });
});

const inHand = ({ state }: Scheduled) => ({
  ids: [...state.inHand.ids],
  isBusy: isBusy(state.inHand, 0),
});

/** Returns a scheduler with a webhook that has answered once and has then changed to `as`. */
function knowing(as: Partial<Target> = {}) {
  const scheduled = new Scheduled();
  const decisions: [string, Result | undefined][] = [];
  scheduled.writes = true;
  scheduled.targets.set('a', target('a'));
  scheduled.accept(job('a', 1));
  scheduled.answer('a1');
  scheduled.pass(10);
  scheduled.writes = false;
  if (Object.keys(as).length > 0) scheduled.becomes('a', { version: 1, ...as });
  const ahead = (one: Job): boolean => {
    const decided = (result: Result | undefined) => void decisions.push([one.deliveryId, result]);
    return scheduled.offerAhead(one, decided);
  };
  return { scheduled, ahead, decisions };
}
