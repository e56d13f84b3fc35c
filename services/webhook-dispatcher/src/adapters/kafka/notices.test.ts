import { describe, expect, it } from '@jest/globals';
import { validateUserEvent } from '@junction/contracts';
import type { OutboxRecord } from '@junction/eventsourcing-postgres';
import type { WebhookCommand } from '../../domain/webhook/decider.js';
import type { DisabledReason, WebhookEvent } from '../../domain/webhook/events.js';
import { noticesOf } from './notices.js';

const userId = '8a5bfb6c-0a3a-4c39-9b1c-0f6f6a4f4d7e';
const at = '2030-01-01T00:00:00.000Z';
const webhookId = 'wh_0190f3a0-0000-7000-8000-000000000000';

describe('the owner of a webhook', () => {
  it('is told that we disabled it, not that they did', () => {
    const [told] = noticesOf(webhookId, disable('failing'), disabled('failing'), 'e1');
    expect(read(told)).toMatchObject({ type: 'webhook.disabled', userId });
    expect(dataOf(told)).toEqual({ webhook_id: webhookId, occurred_at: at, reason: 'failing' });
    expect(noticesOf(webhookId, disable('user'), disabled('user'), 'e1')).toEqual([]);
  });

  it('is not told that we disabled it when only notices failed there', () => {
    expect(noticesOf(webhookId, disable('failing', true), disabled('failing'), 'e1')).toEqual([]);
  });

  it('is told that it works again when a probe of other than a notice found out', () => {
    const [told] = noticesOf(webhookId, close(), closed, 'e1');
    expect(read(told)).toMatchObject({ type: 'webhook.recovered', userId });
    expect(noticesOf(webhookId, close(true), closed, 'e1')).toEqual([]);
  });

  it('is told nothing when it only moved', () => {
    const moved: WebhookCommand = {
      type: 'ChangeWebhook',
      data: { url: 'https://b', secret: 'keep', at },
    };
    expect(noticesOf(webhookId, moved, closed, 'e1')).toEqual([]);
  });
});

const closed: WebhookEvent = { type: 'webhook.circuit_closed', data: { userId, at } };
const close = (byNotice = false): WebhookCommand => ({
  type: 'CloseCircuit',
  data: { at, byNotice },
});
const disable = (reason: DisabledReason, byNotice = false): WebhookCommand => ({
  type: 'DisableWebhook',
  data: { reason, at, byNotice },
});
const disabled = (reason: DisabledReason): WebhookEvent => ({
  type: 'webhook.disabled',
  data: { userId, at, reason },
});

/** As the consumer of the topic reads it. */
function read(record: OutboxRecord | undefined) {
  if (record === undefined) return undefined;
  const { id = '', source, type, subject = '', key, payload } = record;
  const headers = {
    ce_specversion: '1.0',
    ce_id: id,
    ce_source: source,
    ce_type: type,
    ce_subject: subject,
  };
  const verdict = validateUserEvent({ headers, key, value: payload, timestamp: new Date(at) });
  return verdict.ok ? verdict.event : verdict;
}

const dataOf = (record: OutboxRecord | undefined): unknown =>
  JSON.parse(record?.payload.toString() ?? '');
