import { describe, expect, it } from '@jest/globals';
import { job, kinds, many, Scheduled, TIMED_OUT, target } from '../../../../test/scheduled.js';
import type { AttemptRecord } from '../../job.js';
import { isBusy } from './in-hand.js';
import { RESPONSIVE_AT_ONCE } from './limits.js';

describe('an attempt that ends by a mistake of ours', () => {
  it('leaves its delivery to the table, where a read finds it, and its place to the next', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 5));
    scheduled.break('a1');
    expect(scheduled.sent).toEqual(['a1', 'a2', 'a3', 'a4', 'a5']);
    expect(scheduled.state.classes.unresponsive.taken).toBe(4);
    scheduled.finishAll();
    expect(isBusy(scheduled.state.inHand, 0)).toBe(false);
    scheduled.read(job('a', 1));
    expect(scheduled.sent.at(-1)).toBe('a1');
  });

  it('gives a delivery that was sent ahead back without a result, or drops it when nobody waits for one', () => {
    const decisions: unknown[] = [];
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1));
    scheduled.finishAll();
    const jobs = [job('a', 2), job('a', 3)];
    for (const one of jobs) scheduled.offerAhead(one, (result) => void decisions.push(result));
    scheduled.do({ kind: 'released', jobs: jobs.slice(1) });
    scheduled.break('a2');
    scheduled.break('a3');
    expect(decisions).toEqual(['removed']);
    expect([...scheduled.state.inHand.ids, ...scheduled.state.inHand.givenUp]).toEqual([]);
    expect(scheduled.state.classes.responsive.limit).toBe(RESPONSIVE_AT_ONCE.start);
  });

  it('leaves the deliveries behind it to the table when the webhook is ordered', () => {
    const scheduled = new Scheduled();
    scheduled.targets.set('a', target('a', { ordered: true }));
    scheduled.accept(job('a', 1));
    const work = new Map([['a', { waitMs: 0, jobs: many('a', 2) }]]);
    scheduled.do({ kind: 'orderedRead', webhookIds: ['a'], startedMs: 0, work });
    expect(kinds(scheduled.break('a1'))).toContain('read');
    expect(scheduled.sent).toEqual(['a1']);
  });
});

describe('the answer of an attempt', () => {
  it.each<[string, Partial<AttemptRecord>, boolean]>([
    ['lets', {}, true],
    ['does not let', { ...TIMED_OUT, totalMs: 1 }, false],
  ])('%s later deliveries be sent ahead: %j', (_, answer, isTaken) => {
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1));
    scheduled.finishAll();
    scheduled.accept(job('a', 2));
    scheduled.answer('a2', answer);
    expect(scheduled.offerAhead(job('a', 3), () => undefined)).toBe(isTaken);
    expect(scheduled.state.classes.responsive.limit).toBe(RESPONSIVE_AT_ONCE.start);
  });

  it('is charged to its webhook by the time that it took, and by a little when it took none', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 2));
    scheduled.answer('a1', { totalMs: 0 });
    scheduled.answer('a2', { totalMs: 300 });
    expect(scheduled.state.queues.get('a')?.usedMs).toBe(300.1);
  });

  it('leaves most of a long queue to the table when it takes long', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 100));
    scheduled.pass(600);
    expect(scheduled.phase('a')).toBe('overflowed');
    const left = scheduled.state.queues.get('a')?.jobs.map(({ job }) => job);
    expect(left).toEqual(many('a', 20).slice(4));
  });
});
