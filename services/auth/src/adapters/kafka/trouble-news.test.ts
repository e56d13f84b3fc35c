import { describe, expect, it } from '@jest/globals';
import { encodeDomainEvent, type NoticeKind } from '@junction/contracts';
import type pg from 'pg';
import { onTroubleNews } from './trouble-news.js';

const tx = {} as pg.PoolClient; // handed on, and not used here
const userId = '5f0c1c1e-0000-4000-8000-000000000001';
const occurred_at = '2030-01-02T03:04:05.678Z';
const at = new Date(occurred_at);
const webhook = { webhook_id: 'wh_1', occurred_at };
const connection = {
  provider: 'calendar',
  integration_id: 'con_1',
  identity_provider: 'acme',
  account: 'ada@example.com',
  occurred_at,
};

describe('a notice to a user', () => {
  it.each<[NoticeKind, object, string]>([
    ['webhook.failing', { ...webhook, since: occurred_at, reason: 'http_500' }, 'webhook_failing'],
    ['webhook.disabled', { ...webhook, reason: 'failing' }, 'webhook_disabled'],
    ['webhook.disabled', { ...webhook, reason: 'gone_410' }, 'webhook_gone'],
    ['webhook.recovered', webhook, 'over'],
  ])('is news of the webhook: %s (%j)', async (kind, data, news) => {
    expect(await heard(notice(kind, data))).toEqual([{ about: 'wh_1', userId, kind: news, at }]);
  });

  it.each<[NoticeKind, object, string]>([
    ['integration.reconnect_required', { ...connection, reason: 'invalid_grant' }, 'calendar_lost'],
    [
      'integration.reconnect_required',
      { ...connection, provider: 'mailbox', reason: 'invalid_grant' },
      'mailbox_lost',
    ],
    ['integration.connected', connection, 'over'],
    ['integration.recovered', connection, 'over'],
    ['integration.disconnected', { ...connection, reason: 'user' }, 'over'],
  ])('is news of the connection: %s (%j)', async (kind, data, news) => {
    const name = 'ada@example.com';
    expect(await heard(notice(kind, data))).toEqual([
      { about: 'con_1', userId, name, kind: news, at },
    ]);
  });

  it.each<[string, string | undefined]>([
    ['hooks.example.com:8443', 'hooks.example.com:8443'],
    [`a\n b${'c'.repeat(200)}`, `a b${'c'.repeat(97)}`],
    [' ', undefined],
  ])('names its webhook by the header %j, on one short line', async (ce_webhookhost, name) => {
    const record = notice('webhook.disabled', { ...webhook, reason: 'failing' });
    const headers = { ...record.headers, ce_webhookhost };
    expect(await heard({ ...record, headers })).toMatchObject([{ about: 'wh_1', name }]);
  });

  it('passes by when it is of another kind, and is refused when it breaks a rule', async () => {
    expect(await heard(notice('webhook.exhausted', {}))).toEqual([]);
    await expect(heard(notice('webhook.failing', webhook))).rejects.toMatchObject({
      name: 'RecordError',
    });
  });
});

it('is news when an operator disables a webhook, and its end too, whatever it was before', async () => {
  const about = { userId, webhookId: 'wh_1', occurredAt: at };
  const news = { about: 'wh_1', userId, at };
  expect(await heard(event('webhook.disabled', { ...about, reason: 'operator' }))).toEqual([
    { ...news, kind: 'webhook_blocked' },
  ]);
  expect(await heard(event('webhook.disabled', { ...about, reason: 'failing' }))).toEqual([
    { ...news, kind: 'over', after: 'webhook_blocked' },
  ]);
});

describe('an action of an owner on a webhook', () => {
  it('ends what was known of it', async () => {
    const about = { userId, webhookId: 'wh_1', occurredAt: at };
    const over = [{ about: 'wh_1', userId, kind: 'over', at }];
    expect(await heard(event('webhook.enabled', about))).toEqual(over);
    expect(await heard(event('webhook.deleted', { ...about, reason: 'user' }))).toEqual(over);
    expect(await heard(event('webhook.disabled', { ...about, reason: 'user' }))).toEqual(over);
    expect(await heard({ ...event('webhook.enabled', about), headers: {} })).toEqual([]);
  });
});

/** The news of a record. */
async function heard(record: ReturnType<typeof recordOf>): Promise<readonly object[]> {
  const found: object[] = [];
  const hear = async (_: unknown, news: readonly object[]) => found.push(...news) > 0;
  await onTroubleNews(hear, () => {})([record], tx);
  return found;
}

const notice = (kind: NoticeKind, data: object) =>
  recordOf('user.events.v1', kind, Buffer.from(JSON.stringify(data)));

const event = (
  type: 'webhook.enabled' | 'webhook.deleted' | 'webhook.disabled',
  data: { userId: string; webhookId: string; occurredAt: Date; reason?: string },
) => recordOf('e2e.webhooks.events.v1', type, encodeDomainEvent(type, { reason: '', ...data }));

const recordOf = (topic: string, type: string, value: Buffer) => ({
  topic,
  partition: 0,
  offset: 0n,
  key: userId,
  headers: {
    ce_specversion: '1.0',
    ce_id: 'id',
    ce_source: 'junction/test',
    ce_type: type,
    ce_subject: userId,
    ce_time: occurred_at,
    'content-type': 'application/json',
  } as Readonly<Record<string, string>>,
  value,
  timestamp: at,
});
