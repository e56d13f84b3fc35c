import { describe, expect, it } from '@jest/globals';
import { addressingAsOf } from './as-of.js';
import type { WebhookEvent } from './events.js';
import { DEFAULT_OPTIONS } from './options.js';

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
  updated(4, { url: 'https://b', hasSecret: true, secretVersion: 1 }),
  updated(6, { hasSecret: false, secretVersion: 1 }),
  updated(8, { hasSecret: true, secretVersion: 2 }),
  rotated(10, 3, 20),
  rotated(12, 4, 22),
  updated(13, { hasSecret: true, secretVersion: 4 }),
  {
    type: 'webhook.options_changed',
    data: { userId: USER, at: at(14), ...DEFAULT_OPTIONS, headerNames: ['X-Key'] },
  },
  signedBy(16, 'ed25519'),
  signedBy(18, undefined),
];

describe('the addressing of a webhook', () => {
  it.each([
    [0, 'https://a', [1]],
    [1, 'https://a', [1]],
    [3, 'https://a', [1]],
    [4, 'https://b', [1]],
    [7, 'https://b', []],
    [8, 'https://b', [2]],
    [10, 'https://b', [3, 2]],
    [13, 'https://b', [4, 3, 2]],
    [20, 'https://b', [4, 3]],
    [99, 'https://b', [4]],
  ])('in minute %d has the url %s and the secrets %j', (n, url, secretVersions) => {
    expect(addressingAsOf(history, minute(n))).toMatchObject({ url, secretVersions });
  });

  it('has the headers of that time', () => {
    expect(addressingAsOf(history, minute(13))?.options.headerNames).toEqual([]);
    expect(addressingAsOf(history, minute(14))?.options.headerNames).toEqual(['X-Key']);
  });

  it('has the signature of that time, which is hmac when an event says nothing', () => {
    const signatures = [13, 15, 16, 17, 18].map(
      (n) => addressingAsOf(history, minute(n))?.options.signature,
    );
    expect(signatures).toEqual(['hmac', 'hmac', 'ed25519', 'ed25519', 'hmac']);
  });

  it('has one secret alone once that was set instead of rotated', () => {
    const replaced = [...history, updated(19, { hasSecret: true, secretVersion: 5 })];
    expect(addressingAsOf(replaced, minute(19))?.secretVersions).toEqual([5]);
  });

  it.each<WebhookEvent>([
    { type: 'webhook.disabled', data: { userId: USER, at: at(19), reason: 'user' } },
    { type: 'webhook.enabled', data: { userId: USER, at: at(19) } },
    { type: 'webhook.deleted', data: { userId: USER, at: at(19), reason: 'user' } },
  ])('is not changed by $type', (event) => {
    expect(addressingAsOf([...history, event], minute(99))).toEqual({
      url: 'https://b',
      secretVersions: [4],
      options: DEFAULT_OPTIONS,
    });
  });

  it('has no secret when the webhook was configured without one', () => {
    const data = { userId: USER, at: at(1), url: 'https://a', events: [], enabled: true };
    const bare: WebhookEvent = { type: 'webhook.configured', data: { ...data, secretVersion: 0 } };
    expect(addressingAsOf([bare], minute(1))).toMatchObject({ secretVersions: [] });
  });

  it('does not exist before the webhook was configured', () => {
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

function signedBy(n: number, signature: 'ed25519' | undefined): WebhookEvent {
  const { signature: _, ...options } = DEFAULT_OPTIONS;
  const data = { userId: USER, at: at(n), ...options, ...(signature && { signature }) };
  return { type: 'webhook.options_changed', data };
}

function rotated(n: number, secretVersion: number, until: number): WebhookEvent {
  const data = { userId: USER, at: at(n), secretVersion, previousExpiresAt: at(until) };
  return { type: 'webhook.secret_rotated', data };
}
