import { describe, expect, it } from '@jest/globals';
import type { Webhook } from '../api/types.js';
import { changesOf, type WebhookFormValues } from './form-changes.js';

describe('the changes of a saved form', () => {
  it('are none when nothing was changed, in whatever order the kinds were chosen', () => {
    expect(change({ events: ['reminder.sent', 'draft.created'] })).toEqual({});
  });

  it('are only what differs', () => {
    expect(change({ url: 'https://new.example/', enabled: false })).toEqual({
      url: 'https://new.example/',
      enabled: false,
    });
    expect(change({ events: ['draft.created'] })).toEqual({ events: ['draft.created'] });
  });

  it.each([
    ['own', 'mine'],
    ['generate', 'whsec_new'],
    ['none', null],
  ] as const)('of the secret, by choice %s: %j', (secretChoice, secret) => {
    expect(change({ secretChoice, secret: 'mine' })).toEqual({ secret });
  });

  it('do not remove a secret that is not there', () => {
    expect(
      changesOf({ ...webhook, has_secret: false }, form({ secretChoice: 'none' }), undefined),
    ).toEqual({});
  });
});

const webhook: Webhook = {
  webhook_id: 'wh_0',
  url: 'https://receiver.example/hook',
  events: ['draft.created', 'reminder.sent'],
  enabled: true,
  has_secret: true,
  status: 'active',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};

const form = (values: Partial<WebhookFormValues>): WebhookFormValues => ({
  url: webhook.url,
  events: [...webhook.events],
  enabled: true,
  secretChoice: 'keep',
  secret: '',
  ...values,
});

const change = (values: Partial<WebhookFormValues>) =>
  changesOf(webhook, form(values), values.secretChoice === 'generate' ? 'whsec_new' : undefined);
