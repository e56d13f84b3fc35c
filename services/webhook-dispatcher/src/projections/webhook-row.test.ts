import { describe, expect, it } from '@jest/globals';
import type { WebhookAsUpdated, WebhookEvent } from '../domain/webhook/events.js';
import { DEFAULT_OPTIONS } from '../domain/webhook/options.js';
import { type WebhookRow, webhookRow } from './webhook-row.js';

describe('the row of a webhook', () => {
  it('is what was configured', () => {
    expect(after(configured)).toMatchObject({
      webhook_id: webhookId,
      user_id: userId,
      url: 'HTTPS://Receiver.example/hook#top',
      href: 'https://receiver.example/hook',
      status: 'active',
      has_secret: true,
      secret_version: 1,
      version: 1,
      created_at: new Date(at),
    });
  });

  it('is disabled when it was configured so', () => {
    const row = after({ ...configured, data: { ...configured.data, enabled: false } });
    expect(row).toMatchObject({ status: 'disabled', disabled_reason: 'user' });
  });

  it('moves its href with its url', () => {
    expect(after(configured, updated({ url: 'https://other.example#x' }))).toMatchObject({
      url: 'https://other.example#x',
      href: 'https://other.example/',
      version: 2,
    });
  });

  it('is disabled rather than paused while it is both', () => {
    const both = after(configured, updated({ paused: true }), disabled);
    expect(both).toMatchObject({
      status: 'disabled',
      disabled_reason: 'gone_410',
      disabled_at: new Date(later),
      paused: true,
    });
    expect(after(configured, disabled, enabled)?.disabled_at).toBeNull();
    expect(after(configured, updated({ paused: true }), disabled, enabled)?.status).toBe('paused');
  });

  it('has the options it was given last', () => {
    expect(after(configured)).toMatchObject({ ordered: false, rate_limit: null, header_names: [] });
    const data = { ...about, ...DEFAULT_OPTIONS, ordered: true, retrySchedule: [1] };
    expect(after(configured, { type: 'webhook.options_changed', data })).toMatchObject({
      ordered: true,
      retry_schedule: [1],
      filter: null,
    });
  });

  it('is signed by its secret alone unless its options say more', () => {
    const { signature: _, ...data } = { ...about, ...DEFAULT_OPTIONS, ordered: true };
    const before = { type: 'webhook.options_changed', data } as const;
    const chosen = { ...before, data: { ...data, signature: 'ed25519' } } as const;
    expect(after(configured)?.signature).toBe('hmac');
    expect(after(configured, before)?.signature).toBe('hmac');
    expect(after(configured, chosen)?.signature).toBe('ed25519');
    expect(after(configured, chosen, before)?.signature).toBe('hmac');
  });

  it('has the newest secret after a rotation', () => {
    const data = { ...about, secretVersion: 2, previousExpiresAt: later };
    const row = after(configured, { type: 'webhook.secret_rotated', data });
    expect(row).toMatchObject({ has_secret: true, secret_version: 2 });
  });

  it('goes when the webhook is deleted', () => {
    expect(after(configured, deleted)).toBeUndefined();
  });
});

const webhookId = 'wh_0190f3a0-0000-7000-8000-000000000000';
const userId = '8a5bfb6c-0a3a-4c39-9b1c-0f6f6a4f4d7e';
const at = '2030-01-01T00:00:00.000Z';
const later = '2030-01-01T00:00:30.000Z';
const about = { userId, at };

const configured = {
  type: 'webhook.configured',
  data: {
    ...about,
    url: 'HTTPS://Receiver.example/hook#top',
    events: ['inbox.organized'],
    enabled: true,
    secretVersion: 1,
  },
} as const satisfies WebhookEvent;
const disabled: WebhookEvent = {
  type: 'webhook.disabled',
  data: { userId, at: later, reason: 'gone_410' },
};
const enabled: WebhookEvent = { type: 'webhook.enabled', data: { userId, at: later } };
const deleted: WebhookEvent = { type: 'webhook.deleted', data: { ...about, reason: 'user' } };

function updated(changes: Partial<WebhookAsUpdated>): WebhookEvent {
  const as: WebhookAsUpdated = {
    events: ['inbox.organized'],
    paused: false,
    hasSecret: true,
    secretVersion: 1,
    status: 'active',
    ...changes,
  };
  return { type: 'webhook.updated', data: { userId, at: later, ...as } };
}

function after(...events: readonly WebhookEvent[]): WebhookRow | undefined {
  return events.reduce<WebhookRow | undefined>(
    (row, event, index) =>
      webhookRow.evolve(row, event, {
        streamId: `webhook-${webhookId}`,
        version: index + 1,
        recordedAt: new Date(at),
      }),
    undefined,
  );
}
