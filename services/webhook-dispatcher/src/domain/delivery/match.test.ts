import { describe, expect, it } from '@jest/globals';
import type { WebhookStatus } from '../webhook/events.js';
import { verdictOf } from './match.js';

const webhook = (status: WebhookStatus) => ({
  webhookId: 'wh_1',
  events: ['inbox.organized', 'draft.created'],
  status,
});

describe('an event of a webhook’s user', () => {
  it('is delivered when its kind was selected', () => {
    expect(verdictOf(webhook('active'), 'draft.created')).toBe('pending');
  });

  it('waits while the webhook is paused', () => {
    expect(verdictOf(webhook('paused'), 'draft.created')).toBe('pending');
  });

  it('is held while the webhook is disabled', () => {
    expect(verdictOf(webhook('disabled'), 'draft.created')).toBe('held');
  });

  it('is none of its business when its kind was not selected', () => {
    expect(verdictOf(webhook('active'), 'meeting.joined')).toBe('kind_not_selected');
    expect(verdictOf(webhook('disabled'), 'meeting.joined')).toBe('kind_not_selected');
  });
});
