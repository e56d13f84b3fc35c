import { describe, expect, it } from '@jest/globals';
import type { Delivery, DeliveryStatus } from '../api/types.js';
import { groupsOf, groupWords, statusOf } from './event-groups.js';

const delivery = (message: string, webhook: string, status: DeliveryStatus) =>
  ({ message_id: message, webhook_id: webhook, status }) as Delivery;

describe('deliveries by their event', () => {
  it('stand in the order of the list, each event once', () => {
    const groups = groupsOf([
      delivery('b', '1', 'succeeded'),
      delivery('a', '1', 'retrying'),
      delivery('b', '2', 'succeeded'),
    ]);
    expect(groups.map(({ messageId, deliveries }) => [messageId, deliveries.length])).toEqual([
      ['b', 2],
      ['a', 1],
    ]);
  });

  it('count a webhook once, and say what is not done', () => {
    const deliveries = [
      delivery('a', '1', 'succeeded'),
      delivery('a', '2', 'retrying'),
      delivery('a', '2', 'retrying'),
      delivery('a', '3', 'exhausted'),
    ];
    const group = { messageId: 'a', deliveries };
    expect(groupWords(group)).toBe('3 webhooks, 1 exhausted, 1 retrying');
    expect(statusOf(group)).toBe('exhausted');
  });

  it('say it when all went well', () => {
    const group = { messageId: 'a', deliveries: [delivery('a', '1', 'succeeded')] };
    expect(groupWords(group)).toBe('1 webhook, all succeeded');
    expect(statusOf(group)).toBe('succeeded');
  });
});
