import { describe, expect, it } from '@jest/globals';
import { eventOf, webhook } from '../../../test/intake-world.js';
import { takenEvent } from './judge-event.js';
import type { IncomingEvent, MatchedWebhook } from './ports.js';

describe('an event that is matched with the webhooks of its user', () => {
  it('has a delivery for each webhook that matches, and a verdict for each', () => {
    const [active, disabled] = [webhook({ version: 3, shard: 7 }), webhook({ status: 'disabled' })];
    const other = webhook({ events: ['meeting.joined'] });
    const event = eventOf({ traceparent: '00-1-2-01', at: new Date('2030-01-01T23:59:59.999Z') });
    const { deliveries, verdicts } = matched(event, active, disabled, other);
    expect(verdicts).toEqual({
      [active.webhookId]: 'pending',
      [disabled.webhookId]: 'held',
      [other.webhookId]: 'kind_not_selected',
    });
    expect(deliveries.map(({ verdict }) => verdict)).toEqual(['pending', 'held']);
    expect(deliveries[0]).toMatchObject({ eventTime: event.time, isAhead: false });
    const { messageId, userId, kind, traceparent } = event;
    const { webhookId } = active;
    expect(deliveries[0]?.job).toMatchObject({
      messageId,
      userId,
      kind,
      traceparent,
      webhookId,
      webhookVersion: 3,
      shard: 7,
      day: '2030-01-01',
      attempt: 1,
      unscheduled: 0,
    });
    expect(JSON.parse(String(deliveries[0]?.job.body))).toMatchObject({ webhook_id: webhookId });
  });

  it('is not delivered to the webhook that it is about', () => {
    const [one, other] = [webhook(), webhook()];
    const event = eventOf({ aboutWebhookId: one.webhookId });
    const { deliveries } = matched(event, one, other);
    expect(deliveries.map(({ job }) => job.webhookId)).toEqual([other.webhookId]);
  });

  it('has no deliveries when its user has no webhooks', () => {
    expect(takenEvent(eventOf(), [], false)).toMatchObject({ deliveries: [], verdicts: {} });
  });

  it('keeps the verdicts of a hundred webhooks, and delivers to all', () => {
    const webhooks = Array.from({ length: 101 }, () => webhook());
    const { deliveries, verdicts } = matched(eventOf(), ...webhooks);
    expect(Object.keys(verdicts)).toHaveLength(100);
    expect(deliveries).toHaveLength(101);
  });

  it('is filed under the day on which it was taken in, whichever day the event before had', () => {
    const times = ['2030-01-01T23:00Z', '2030-01-02T01:00Z', '2030-01-01T00:00Z'];
    const jobs = times.map((time) => {
      const event = eventOf({ at: new Date(time) });
      return matched(event, webhook()).deliveries[0]?.job;
    });
    expect(jobs.map((job) => job?.day)).toEqual(times.map((time) => time.slice(0, 10)));
  });

  it('passes no filter that names the double next to its number, which no double holds', () => {
    const near = webhook({ filter: { path: 'id', equals: 9007199254740992 } });
    const above = webhook({ filter: { path: 'id', gt: 9007199254740992 } });
    const event = eventOf({ data: Buffer.from('{"id":9007199254740993}') });
    const { deliveries, filtered } = matched(event, near, above);
    expect(filtered).toBe(1);
    expect(deliveries.map(({ job }) => job.webhookId)).toEqual([above.webhookId]);
  });
});

it('an event that came before has nothing to deliver', () => {
  const event = eventOf();
  const taken = takenEvent(event, [webhook()], true);
  expect(taken).toEqual({ event, verdicts: {}, deliveries: [], isRepeat: true, filtered: 0 });
});

const matched = (event: IncomingEvent, ...webhooks: readonly MatchedWebhook[]) =>
  takenEvent(event, webhooks, false);
