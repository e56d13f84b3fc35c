import { describe, expect, it } from '@jest/globals';
import type { Webhook } from '../../api/types.js';
import { changesOf, configurationOf } from './form-changes.js';
import { proposed, valuesOf, type WebhookFormValues } from './form-values.js';

describe('the changes of a saved form', () => {
  it('are none when nothing was changed, in whatever order the kinds were chosen', () => {
    expect(change({})).toEqual({});
    expect(change({ events: ['party.thrown', 'reminder.sent', 'draft.created'] })).toEqual({});
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
  ] as const)('have the secret, by choice %s: %j', (secretChoice, secret) => {
    expect(change({ secretChoice, secret: 'mine' })).toEqual({ secret });
  });

  it('do not remove a secret that is not there', () => {
    const unsigned = { ...webhook, has_secret: false };
    expect(changesOf(unsigned, valuesOf(unsigned), undefined).changes).toEqual({});
  });

  it.each<[Partial<WebhookFormValues>, object]>([
    [{ description: '' }, { description: null }],
    [{ filter: '{"path":"b","exists":true}' }, { filter: { path: 'b', exists: true } }],
    [{ filter: ' ' }, { filter: null }],
    [{ signature: false }, { signature: null }],
    [{ ordered: false }, { ordered: false }],
    [{ trace_context: false }, { trace_context: false }],
    [{ rate_limit: '20' }, { rate_limit: 20 }],
    [{ rate_limit: '' }, { rate_limit: null }],
    [{ retries: 'standard' }, { retry_schedule: null }],
    [{ retries: 'none' }, { retry_schedule: [] }],
    [{ retry_schedule: '1 min, 2 h' }, { retry_schedule: [60, 7_200] }],
  ])('have the options: %j', (values, changes) => {
    expect(change(values)).toEqual(changes);
  });

  it('merge headers and metadata by their names, without the values that are not known', () => {
    expect(
      merged({
        headers: [
          { name: 'X-Kept', value: '', isStored: true },
          { name: 'X-New', value: 'new' },
        ],
        metadata: [{ name: 'team', value: 'mail' }],
      }),
    ).toEqual({
      headers: { 'X-Gone': null, 'X-New': 'new' },
      metadata: { team: 'mail' },
    });
    const [kept, gone] = valuesOf(webhook).headers;
    expect(kept && gone && merged({ headers: [{ ...kept, value: 'other' }, gone] })).toEqual({
      headers: { 'X-Kept': 'other' },
    });
    expect(merged({})).toEqual({});
  });
});

describe('the configuration of a new webhook', () => {
  it('has the required fields, and the options that are set', () => {
    const values = { ...proposed(['draft.created']), url: 'https://r.example/' };
    const least = { url: values.url, events: ['draft.created'], enabled: true };
    expect(configurationOf({ ...values, secretChoice: 'none' }, undefined)).toEqual(least);
    expect(configurationOf(values, 'whsec_new')).toEqual({ ...least, secret: 'whsec_new' });
    expect(
      configurationOf(
        { ...values, ordered: true, retries: 'none', headers: [{ name: 'X-A', value: 'b' }] },
        undefined,
      ),
    ).toEqual({ ...least, ordered: true, retry_schedule: [], headers: { 'X-A': 'b' } });
  });
});

const webhook: Webhook = {
  webhook_id: 'wh_0',
  url: 'https://receiver.example/hook',
  events: ['draft.created', 'reminder.sent', 'party.thrown'],
  enabled: true,
  has_secret: true,
  status: 'active',
  state: 'active',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  description: 'Of the mail team',
  filter: { path: 'a', equals: 1 },
  signature: 'ed25519',
  ordered: true,
  trace_context: true,
  rate_limit: 10,
  retry_schedule: [5, 60],
  headers: { 'X-Kept': '***', 'X-Gone': '***' },
  metadata: { team: 'calendar' },
};

const saved = (values: Partial<WebhookFormValues>) =>
  changesOf(
    webhook,
    { ...valuesOf(webhook), ...values },
    values.secretChoice === 'generate' ? 'whsec_new' : undefined,
  );
const change = (values: Partial<WebhookFormValues>) => saved(values).changes;
const merged = (values: Partial<WebhookFormValues>) => saved(values).merged;
