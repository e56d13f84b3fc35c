import { describe, expect, it } from '@jest/globals';
import { job, kinds, many, Scheduled, TIMED_OUT, target } from '../../../../test/scheduled.js';
import type { Job, Target } from '../../job.js';
import { isBusy } from './in-hand.js';
import { LATE_MAX, LIMIT_MAX } from './pace.js';
import type { Decided } from './queue.js';

describe('accepting a delivery', () => {
  it('leaves it to the table beyond what its user may send, and wakes the reader', () => {
    const scheduled = new Scheduled();
    for (let n = 0; n < 10_000; n++) scheduled.state.users.admit('a', 0);
    expect(kinds(scheduled.accept(job('a', 1)))).toEqual(['read']);
    scheduled.nowMs = 1_000;
    scheduled.accept(job('a', 2));
    expect(scheduled.sent).toEqual([]);
    expect(scheduled.read(job('a', 1), job('a', 2))).toBe(0);
    expect(scheduled.sent).toEqual(['a1', 'a2']);
  });

  it('sends it once, however often it is accepted, within what its user may send or beyond', () => {
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1), job('a', 1));
    while (scheduled.state.users.admit('a', 0));
    scheduled.state.admission = undefined;
    expect(scheduled.accept(job('a', 1))).toEqual([]);
    expect(scheduled.sent).toEqual(['a1']);
  });

  it('loads its webhook when the shard came back under another lease, and not before', () => {
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1));
    expect(kinds(scheduled.accept(job('a', 2)))).toEqual(['send']);
    scheduled.epoch = '2';
    expect(kinds(scheduled.accept(job('a', 3)))).toContain('load');
  });

  it('counts an event once for its user, however many webhooks get it', () => {
    const scheduled = new Scheduled();
    for (let n = 0; n < 9_999; n++) scheduled.state.users.admit('u', 0);
    scheduled.accept(...['a', 'b', 'c'].map((id) => job(id, 1, { userId: 'u' })));
    expect(scheduled.sent).toEqual(['a1', 'b1', 'c1']);
  });

  it('notifies the other replicas when its shard is not held here', () => {
    const scheduled = new Scheduled();
    expect(kinds(scheduled.accept(job('a', 1)))).not.toContain('notify');
    scheduled.epoch = undefined;
    const calls = kinds(scheduled.accept(job('a', 2), job('b', 1)));
    expect(calls.filter((kind) => kind === 'notify')).toHaveLength(1);
  });
});

describe('sending a delivery before its row is written', () => {
  it('sends it at once to a webhook that is known to answer, also after a load that changed nothing', () => {
    const { scheduled, ahead } = knowing({ isFailing: false });
    expect(ahead(job('a', 2))).toBe(true);
    expect(scheduled.sent).toContain('a2');
  });

  it('takes a few for a webhook that is not known, and sends them once it is loaded', () => {
    const { scheduled, ahead } = knowing();
    scheduled.loads = false;
    const taken = many('b', LIMIT_MAX + 1).map(ahead);
    expect(taken.filter(Boolean)).toHaveLength(LIMIT_MAX);
    expect(scheduled.underWay.size).toBe(0);
    scheduled.load('b');
    expect([...scheduled.underWay.keys()]).toEqual(['b1', 'b2', 'b3', 'b4']);
    expect(ahead(job('b', LIMIT_MAX + 1))).toBe(false);
  });

  it.each<[string, Partial<Target>]>([
    ['is paused', { status: 'paused' }],
    ['is disabled', { status: 'disabled' }],
    ['is ordered', { ordered: true }],
    ['has a rate limit', { rateLimit: 5 }],
    ['is stored as failing', { isFailing: true }],
  ])('refuses it for a webhook that %s', (_, as) => {
    const { scheduled, ahead } = knowing(as);
    expect(ahead(job('a', 2))).toBe(false);
    expect(scheduled.sent).not.toContain('a2');
  });

  it.each<[string, (scheduled: Scheduled) => void, Partial<Job>]>([
    ['it has seen a newer version of it', () => {}, { webhookVersion: 2 }],
    ['its shard came back under another lease', (it) => void (it.epoch = '2'), {}],
  ])('sends it once its webhook is loaded again when %s', (_, happen, as) => {
    const { scheduled, ahead } = knowing();
    scheduled.loads = false;
    happen(scheduled);
    expect(ahead(job('a', 2, as))).toBe(true);
    expect(scheduled.sent).not.toContain('a2');
    const targets = new Map([['a', target('a', { version: 2 })]]);
    scheduled.do({ kind: 'targetsLoaded', webhookIds: ['a'], targets });
    expect(scheduled.sent).toContain('a2');
  });

  it('refuses it for a webhook that answers late again and again, or whose circuit is suspected', () => {
    const late = knowing();
    for (const one of many('a', LATE_MAX + 1).slice(1)) {
      expect(late.ahead(one)).toBe(true);
      late.scheduled.answer(one.deliveryId, { totalMs: 600 });
    }
    expect(late.ahead(job('a', 9))).toBe(false);
    const suspected = knowing();
    suspected.scheduled.accept(job('a', 2));
    suspected.scheduled.answer('a2', {}, true);
    expect(suspected.ahead(job('a', 3))).toBe(false);
  });

  it('refuses it while something older waits in the table, or beyond what its user may send', () => {
    const { scheduled, ahead } = knowing();
    while (scheduled.state.users.admit('a', scheduled.nowMs));
    expect(ahead(job('a', 2))).toBe(false);
    scheduled.accept(job('a', 2));
    scheduled.nowMs = 1_000;
    expect(ahead(job('a', 3))).toBe(false);
  });

  it('refuses it the second time, for the shard of another replica, and once sending has stopped', () => {
    const { scheduled, ahead } = knowing();
    expect([ahead(job('a', 2)), ahead(job('a', 2))]).toEqual([true, false]);
    scheduled.epoch = undefined;
    expect(ahead(job('a', 3))).toBe(false);
    scheduled.epoch = '1';
    scheduled.do({ kind: 'stopped' });
    expect(ahead(job('a', 3))).toBe(false);
  });

  it('keeps it in hand until it is released', () => {
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

  it('reports once that its answer is late, and its answer after that', () => {
    const { scheduled, ahead, decisions } = knowing();
    ahead(job('a', 2));
    scheduled.pass(499);
    expect(decisions).toEqual([]);
    scheduled.pass(2_000);
    expect(decisions).toEqual([['a2', 'late']]);
    scheduled.answer('a2', { totalMs: 2_499 });
    expect(decisions).toMatchObject([{}, ['a2', { fact: { type: 'delivery.succeeded' } }]]);
  });

  it('treats it like any other once it is stored as pending', () => {
    const { scheduled, ahead, decisions } = knowing();
    ahead(job('a', 2));
    scheduled.do({ kind: 'stored', jobs: [job('a', 2)], results: [] });
    scheduled.pass(600);
    scheduled.answer('a2');
    expect(decisions).toEqual([]);
    expect(scheduled.pass(10)).toMatchObject([{ kind: 'write', batch: 'attempts' }]);
  });

  it('writes its failure when that is handed over with it', () => {
    const { scheduled, ahead, decisions } = knowing();
    ahead(job('a', 2));
    scheduled.answer('a2', TIMED_OUT);
    const results = decisions.flatMap(([, end]) => (typeof end === 'object' ? end : []));
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
    ['its webhook turns out to fail', (it) => it.becomes('a', { version: 2, isFailing: true })],
    ['sending stops', (it) => it.do({ kind: 'stopped' })],
  ])('removes it unsent when %s', (_, happen) => {
    const { scheduled, ahead, decisions } = knowing();
    for (const one of many('a', 50).slice(1)) ahead(one);
    const waiting = 49 - scheduled.underWay.size;
    happen(scheduled);
    expect(decisions).toHaveLength(waiting);
    expect(decisions.every(([, result]) => result === 'removed')).toBe(true);
    expect(scheduled.state.inHand.ids.size).toBe(scheduled.underWay.size);
  });

  it('reads it from the table when it is stored after it was removed', () => {
    const { scheduled, ahead, decisions } = knowing();
    for (const one of many('a', 50).slice(1)) ahead(one);
    scheduled.becomes('a', { version: 2, status: 'paused' });
    const last = job('a', 50);
    expect(decisions.map(([id]) => id)).toContain(last.deliveryId);
    const effects = scheduled.do({ kind: 'stored', jobs: [last], results: [] });
    expect(effects).toEqual([{ kind: 'read' }]);
    scheduled.epoch = undefined;
    const lost = scheduled.do({ kind: 'stored', jobs: [last], results: [] });
    expect(lost).toEqual([{ kind: 'notify' }]);
  });

  it('drops it when it is given up, once its request has ended', () => {
    const { scheduled, ahead, decisions } = knowing();
    const jobs = many('a', 50).slice(1);
    for (const one of jobs) ahead(one);
    for (let n = 0; n < 2; n++) scheduled.do({ kind: 'released', jobs });
    expect(scheduled.state.inHand.ids.size).toBe(scheduled.underWay.size);
    expect(scheduled.state.inHand.givenUp.size).toBe(scheduled.underWay.size);
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
  const decisions: [string, ...Parameters<Decided>][] = [];
  scheduled.writes = true;
  scheduled.targets.set('a', target('a'));
  scheduled.accept(job('a', 1));
  scheduled.answer('a1');
  scheduled.pass(10);
  scheduled.writes = false;
  if (Object.keys(as).length > 0) scheduled.becomes('a', { version: 1, ...as });
  const ahead = (one: Job): boolean => {
    return scheduled.offerAhead(one, (end) => void decisions.push([one.deliveryId, end]));
  };
  return { scheduled, ahead, decisions };
}
