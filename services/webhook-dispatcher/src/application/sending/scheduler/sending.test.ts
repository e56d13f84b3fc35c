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
});
