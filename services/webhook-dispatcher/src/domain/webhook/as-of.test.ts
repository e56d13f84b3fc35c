import { describe, expect, it } from '@jest/globals';
import { addressingAsOf } from './as-of.js';
import type { WebhookEvent } from './events.js';

const USER = 'u1';
const minute = (n: number) => new Date(Date.UTC(2030, 0, 1, 0, n));
const at = (n: number) => minute(n).toISOString();

const history: readonly WebhookEvent[] = [
  {
    type: 'webhook.configured',
    data: {
      userId: USER,
      at: at(1),
      url: 'https://a',
      events: [],
      enabled: true,
      secretVersion: 1,
    },
  },
  { type: 'webhook.circuit_opened', data: { userId: USER, at: at(2), probeAt: at(3) } },
  updated(4, { url: 'https://b', hasSecret: true, secretVersion: 1 }),
  updated(6, { hasSecret: false, secretVersion: 1 }),
  updated(8, { hasSecret: true, secretVersion: 2 }),
];

describe('a webhook was addressed', () => {
  it.each([
    [0, 'https://a', 1],
    [1, 'https://a', 1],
    [3, 'https://a', 1],
    [4, 'https://b', 1],
    [7, 'https://b', 0],
    [8, 'https://b', 2],
    [99, 'https://b', 2],
  ])('in minute %d as %s, with secret %d', (n, url, secretVersion) => {
    expect(addressingAsOf(history, minute(n))).toEqual({ url, secretVersion });
  });

  it('not at all before it was configured', () => {
    expect(addressingAsOf([], minute(1))).toBeUndefined();
  });
});

function updated(
  n: number,
  change: { url?: string; hasSecret: boolean; secretVersion: number },
): WebhookEvent {
  const rest = { events: [], paused: false, status: 'active' as const };
  return { type: 'webhook.updated', data: { userId: USER, at: at(n), ...rest, ...change } };
}
