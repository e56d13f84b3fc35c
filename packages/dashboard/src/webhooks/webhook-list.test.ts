import { describe, expect, it } from '@jest/globals';
import type { Webhook } from '../api/types.js';
import { listed, webhookListSearch } from './webhook-list.js';

const webhook = (name: string, more: Partial<Webhook> = {}): Webhook => ({
  webhook_id: `wh_${name}`,
  url: `https://${name}.example/hook`,
  events: ['draft.created'],
  enabled: true,
  has_secret: true,
  status: 'active',
  state: 'active',
  created_at: '2030-01-01T00:00:00Z',
  updated_at: '2030-01-01T00:00:00Z',
  ...more,
});

const webhooks = [
  webhook('a'),
  webhook('b', { state: 'failing', created_at: '2029-01-01T00:00:00Z' }),
  webhook('c', { created_at: '2030-02-01T00:00:00Z', description: 'Billing' }),
  webhook('d', { state: 'disabled', disabled_reason: 'user' }),
  webhook('e', { state: 'disabled', disabled_reason: 'gone_410' }),
];
const ids = (found: readonly Webhook[]) => found.map(({ webhook_id: id }) => id.slice(3)).join('');

describe('the list of webhooks', () => {
  it('begins with those that fail, and goes on with those that failing has disabled', () => {
    expect(ids(listed(webhooks, {}))).toBe('becad');
  });

  it('may be sorted by age and by name, which is the description where there is one', () => {
    expect(ids(listed(webhooks, { sort: 'newest' }))).toBe('cadeb');
    expect(ids(listed(webhooks, { sort: 'name' }))).toBe('abcde');
  });

  it('holds those of a state, and those that a text is found in', () => {
    expect(ids(listed(webhooks, { state: 'failing' }))).toBe('b');
    expect(ids(listed(webhooks, { state: 'disabled' }))).toBe('ed');
    expect(ids(listed(webhooks, { text: ' bill' }))).toBe('c');
    expect(ids(listed(webhooks, { text: 'D.EXAMPLE' }))).toBe('d');
  });

  it('ignores in an address what means nothing', () => {
    expect(webhookListSearch({ text: 5, state: 'failing', sort: 'toString', page: 2 })).toEqual({
      text: '5',
      state: 'failing',
    });
  });
});
