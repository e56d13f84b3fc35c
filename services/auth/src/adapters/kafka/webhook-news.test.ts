import { describe, expect, it } from '@jest/globals';
import {
  type DomainEventMessage,
  type DomainEventType,
  encodeDomainEvent,
} from '@junction/contracts';
import { newsIn } from './webhook-news.js';

const userId = '5f0c1c1e-0000-4000-8000-000000000001';
const at = new Date('2030-01-02T03:04:05.678Z');
const about = { userId, webhookId: 'wh_1', occurredAt: at };
const shown = { events: ['draft.created'], status: 'active', hasSecret: true };
const options = {
  ordered: true,
  rateLimit: 0,
  hasFilter: false,
  retryScheduleS: [],
  headerNames: ['X-Key'],
  signature: 'hmac',
  traceContext: false,
};

describe('a record of a webhook', () => {
  it('tells of its making, and of the traits whose change its owner is mailed', () => {
    const { events } = shown;
    const news = { userId, webhookId: 'wh_1', at, isDeleted: false, events: undefined };
    expect(heard('webhook.configured', { ...about, ...shown })).toEqual({
      ...news,
      events,
      traits: ['made'],
    });
    const changed = ['url', 'events', 'secret', 'colour'];
    expect(heard('webhook.updated', { ...about, ...shown, changed })).toEqual({
      ...news,
      events,
      traits: ['url', 'events', 'secret'],
    });
    expect(heard('webhook.updated', { ...about, ...shown, changed: [] })).toMatchObject({
      traits: [],
    });
    expect(
      heard('webhook.options_changed', { ...about, ...options, changed: ['headers'] }),
    ).toEqual({ ...news, traits: ['headers'] });
    expect(heard('webhook.secret_rotated', { ...about, previousExpiresAt: undefined })).toEqual({
      ...news,
      traits: ['secret'],
    });
  });

  it('tells of its end, and of nothing else', () => {
    expect(heard('webhook.deleted', { ...about, reason: 'user' })).toMatchObject({
      isDeleted: true,
      traits: [],
    });
    expect(heard('webhook.disabled', { ...about, reason: 'user' })).toBeUndefined();
    expect(heard('webhook.enabled', about)).toBeUndefined();
  });

  it('is set aside when it cannot be read', () => {
    const broken = { headers: { ce_type: 'webhook.updated' }, value: Buffer.from('no JSON') };
    expect(() => newsIn({ ...record, ...broken })).toThrow('no webhook.updated message');
  });
});

const record = {
  topic: 'webhooks.events.v1',
  partition: 0,
  offset: 0n,
  key: 'wh_1',
  timestamp: new Date(),
};

const heard = <Type extends DomainEventType>(type: Type, message: DomainEventMessage<Type>) =>
  newsIn({ ...record, headers: { ce_type: type }, value: encodeDomainEvent(type, message) });
