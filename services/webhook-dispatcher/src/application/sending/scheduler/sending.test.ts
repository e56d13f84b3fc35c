import { describe, expect, it } from '@jest/globals';
import { job, many, Scheduled, target } from '../../../../test/scheduled.js';
import { LIMIT_MAX } from './pace.js';

describe('sending from queues', () => {
  it('lets a short queue send between the deliveries of a long one', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 100), job('b', 1));
    expect(scheduled.sent).toContain('b1');
  });

  it('starts few attempts to a webhook that was never tried', () => {
    const scheduled = new Scheduled();
    scheduled.accept(...many('a', 100));
    expect(scheduled.sent.length).toBeGreaterThan(0);
    expect(scheduled.sent.length).toBeLessThan(LIMIT_MAX);
  });

  it('sends no more than the rate limit of a webhook allows', () => {
    const scheduled = new Scheduled();
    scheduled.targets.set('a', target('a', { rateLimit: 2 }));
    scheduled.accept(...many('a', 2));
    expect(scheduled.sent).toEqual(['a1']);
    scheduled.pass(499);
    expect(scheduled.sent).toEqual(['a1']);
    scheduled.pass(1);
    expect(scheduled.sent).toEqual(['a1', 'a2']);
  });

  it('lets each webhook send when its own rate limit does, the soonest first', () => {
    const scheduled = new Scheduled();
    scheduled.targets.set('a', target('a', { rateLimit: 4 }));
    scheduled.targets.set('b', target('b', { rateLimit: 10 }));
    scheduled.accept(...many('a', 2), ...many('b', 3));
    const sent = [0, 99, 1, 99, 1, 49, 1].map((ms) => {
      scheduled.pass(ms);
      return scheduled.sent.length;
    });
    expect(sent).toEqual([2, 2, 3, 3, 4, 4, 5]);
    expect(scheduled.sent).toEqual(['a1', 'b1', 'b2', 'b3', 'a2']);
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
});
