import { describe, expect, it } from '@jest/globals';
import type { WebhookStatus } from '../webhook/events.js';
import { isMatch, type Matched, verdictOf } from './match.js';

const webhook = (status: WebhookStatus) => ({
  webhookId: 'wh_1',
  events: ['inbox.organized', 'draft.created'],
  status,
});

const event = (kind: string, parts: Partial<Matched> = {}): Matched => ({
  kind,
  isOptIn: kind.startsWith('webhook.'),
  data: () => {
    throw new Error('Nothing has to look at the data.');
  },
  ...parts,
});

describe('an event of a webhook’s user', () => {
  it('is delivered when its kind was selected', () => {
    expect(verdictOf(webhook('active'), event('draft.created'))).toBe('pending');
  });

  it('waits while the webhook is paused', () => {
    expect(verdictOf(webhook('paused'), event('draft.created'))).toBe('pending');
  });

  it('is held while the webhook is disabled', () => {
    expect(verdictOf(webhook('disabled'), event('draft.created'))).toBe('held');
  });

  it('does not match when its kind was not selected', () => {
    expect(verdictOf(webhook('active'), event('meeting.joined'))).toBe('kind_not_selected');
    expect(verdictOf(webhook('disabled'), event('meeting.joined'))).toBe('kind_not_selected');
  });

  it('is delivered when a wildcard of the webhook covers its kind', () => {
    const all = { ...webhook('active'), events: ['*'] };
    expect(verdictOf(all, event('meeting.joined'))).toBe('pending');
    expect(verdictOf(all, event('webhook.exhausted'))).toBe('kind_not_selected');
    const notices = { ...webhook('active'), events: ['webhook.*'] };
    expect(verdictOf(notices, event('webhook.exhausted'))).toBe('pending');
    expect(verdictOf(notices, event('meeting.joined'))).toBe('kind_not_selected');
  });

  it('is filtered when its data are not what the webhook wants, enabled or not', () => {
    const filter = { path: 'n', gt: 1 };
    const judged = (n: number, status: WebhookStatus) =>
      verdictOf({ ...webhook(status), filter }, event('draft.created', { data: () => ({ n }) }));
    expect(judged(1, 'active')).toBe('filtered');
    expect(judged(1, 'disabled')).toBe('filtered');
    expect(judged(2, 'active')).toBe('pending');
    expect(judged(2, 'disabled')).toBe('held');
  });

  it.each([
    ['pending', true],
    ['held', true],
    ['kind_not_selected', false],
    ['about_itself', false],
    ['filtered', false],
  ] as const)('with the verdict %s has a delivery: %s', (verdict, hasOne) => {
    expect(isMatch(verdict)).toBe(hasOne);
  });

  it('does not match the webhook it is about', () => {
    const about = (aboutWebhookId: string) => event('draft.created', { aboutWebhookId });
    expect(verdictOf(webhook('active'), about('wh_1'))).toBe('about_itself');
    expect(verdictOf(webhook('active'), about('wh_2'))).toBe('pending');
  });
});
