import { describe, expect, it } from '@jest/globals';
import { job, kinds, many, Scheduled, TIMED_OUT, target } from '../../../../test/scheduled.js';

describe('sending from queues', () => {
  it('lets a short queue send between the first few deliveries of a long one', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 100), job('b', 1));
    expect(scheduled.sent).toEqual(['a1', 'b1', 'a2', 'a3', 'a4']);
  });

  it('sends no more than the rate limit of a webhook allows', () => {
    const scheduled = new Scheduled();
    scheduled.targets.set('a', target('a', { rateLimit: 2 }));
    scheduled.accept(...many('a', 2));
    scheduled.accept(job('a', 3));
    expect(scheduled.state).toMatchObject({ refilling: [{}], refillAtMs: 500 });
    scheduled.pass(499);
    expect(scheduled.sent).toEqual(['a1']);
    scheduled.pass(1);
    expect(scheduled.sent).toEqual(['a1', 'a2']);
  });

  it('lets each webhook send when its own rate limit does, the soonest first', () => {
    const scheduled = new Scheduled();
    scheduled.targets.set('a', target('a', { rateLimit: 4 }));
    scheduled.targets.set('b', target('b', { rateLimit: 8 }));
    scheduled.accept(...many('a', 2), ...many('b', 3));
    const sent = [0, 124, 1, 124, 1].map((ms) => {
      scheduled.pass(ms);
      return scheduled.sent.length;
    });
    expect(sent).toEqual([2, 2, 3, 3, 5]);
    expect(scheduled.sent).toEqual(['a1', 'b1', 'b2', 'a2', 'b3']);
    expect(scheduled.state).toMatchObject({ refilling: [], refillAtMs: undefined });
  });

  it('keeps to a rate limit when its webhook is loaded again, and when that of another webhook goes', () => {
    const scheduled = new Scheduled();
    for (const id of ['a', 'b']) scheduled.targets.set(id, target(id, { rateLimit: 2 }));
    scheduled.accept(...many('a', 2), ...many('b', 2));
    scheduled.becomes('a', { rateLimit: 2 });
    expect(scheduled.sent).toEqual(['a1', 'b1']);
    scheduled.becomes('b', {});
    expect(scheduled.sent).toEqual(['a1', 'b1', 'b2']);
    scheduled.pass(500);
    expect(scheduled.sent).toEqual(['a1', 'b1', 'b2', 'a2']);
  });

  it('sends nothing once the lease of the shard has ended', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 10));
    scheduled.epoch = undefined;
    scheduled.answer('a1');
    expect(scheduled.sent).toEqual(['a1', 'a2', 'a3', 'a4']);
  });

  it('keeps to a limit that a failure halved while the webhook waited for a slot', () => {
    const scheduled = new Scheduled();
    scheduled.accept(job('a', 1));
    scheduled.finishAll();
    scheduled.state.classes.responsive.limit = 3;
    scheduled.accept(...many('a', 9).slice(1));
    scheduled.answer('a2', { ...TIMED_OUT, totalMs: 1 });
    expect([...scheduled.underWay.keys()]).toEqual(['a3', 'a4']);
  });

  it('wakes the reader when half of a queue is sent of which more waits in the table', () => {
    const scheduled = new Scheduled();
    scheduled.targets.set('a', target('a', { rateLimit: 4 }));
    const reads = () => {
      scheduled.answerAll();
      return kinds(scheduled.pass(250)).filter((kind) => kind === 'read').length;
    };
    scheduled.accept(...many('a', 4));
    expect(reads()).toBe(0);
    scheduled.accept(...many('a', 7).slice(4));
    expect([reads(), reads(), reads()]).toEqual([0, 1, 0]);
  });
});
