import { describe, expect, it } from '@jest/globals';
import { type WebhookQueue, WebhookQueues } from './webhook-queues.js';

const QUEUES = 20_000;
const NEW = { webhookId: 'new', shard: 0 };

describe('the queues of a replica, when there are as many as it keeps', () => {
  it('make room by letting go of the one that has been quiet longest, its circuit with it', () => {
    const { queues, evicted } = full();
    expect(queues.open(NEW)).toBeDefined();
    expect(evicted).toEqual(['w0']);
    expect(queues.get('w0')).toBeUndefined();
  });

  it('find a quiet one behind however many that are not', () => {
    const { queues, all, evicted } = full();
    for (const queue of all.slice(0, 250)) queue.overflowedIn = 1;
    const opened = Array.from({ length: 3 }, () => queues.open(NEW));
    expect(opened.map((queue) => queue !== undefined)).toEqual([false, false, true]);
    expect(evicted).toEqual(['w250']);
    expect(queues.get('w0')).toBe(all[0]);
  });

  it('let go of a slow one, though some of its deliveries wait in the table', () => {
    const { queues, all, evicted } = full();
    for (const queue of all) queue.overflowedIn = 1;
    const [first] = all;
    if (first) first.pace = { ...first.pace, kind: 'slow' };
    expect(queues.open(NEW)).toBeDefined();
    expect(evicted).toEqual(['w0']);
  });

  it('let go of an ordered one, whose deliveries are read from the table in any case', () => {
    const { queues, all, evicted } = full();
    for (const queue of all) queue.overflowedIn = 1;
    const [first] = all;
    if (first?.target) first.target = { ...first.target, ordered: true };
    expect(queues.open(NEW)).toBeDefined();
    expect(evicted).toEqual(['w0']);
  });
});

function full() {
  const evicted: string[] = [];
  const queues = new WebhookQueues((webhookId) => void evicted.push(webhookId));
  const all = Array.from({ length: QUEUES }, (_, n) =>
    queues.open({ webhookId: `w${n}`, shard: 0 }),
  ).filter((queue): queue is WebhookQueue => queue !== undefined);
  for (const queue of all) {
    queue.target = {
      webhookId: queue.webhookId,
      userId: 'u',
      version: 1,
      url: 'https://receiver.example',
      status: 'active',
      secrets: [],
    };
  }
  return { queues, all, evicted };
}
