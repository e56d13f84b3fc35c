import { describe, expect, it } from '@jest/globals';
import {
  EVENT_CATALOGUE,
  type EventData,
  type NoticeData,
  type NoticeKind,
} from '@junction/contracts';
import { isWebhookEvent, type WebhookEventData } from './event.js';

type Catalogue = EventData & { readonly [Kind in NoticeKind]: NoticeData<Kind> };

// This file compiles only when each type is assignable to the other.
const sent = (data: Catalogue): WebhookEventData => data;
const received = (data: WebhookEventData): Catalogue => data;

describe('the event of a webhook', () => {
  it.each(EVENT_CATALOGUE)('may be $kind', ({ kind, example }) => {
    expect(isWebhookEvent({ ...fields, event_type: kind, data: example })).toBe(true);
  });

  it('has data as the catalogue describes them', () => {
    const data = Object.fromEntries(EVENT_CATALOGUE.map(({ kind, example }) => [kind, example]));
    expect(received(sent(data as unknown as Catalogue))).toBe(data);
  });

  it.each([
    null,
    'text',
    [],
    {},
    { type: 'draft.created', data: {} },
    { event_type: 'draft.created', user_id: 'u', data: [], timestamp: 't', webhook_id: 'w' },
    { event_type: 'draft.created', user_id: 'u', data: {}, timestamp: 1, webhook_id: 'w' },
  ])('is not %j', (value) => {
    expect(isWebhookEvent(value)).toBe(false);
  });
});

const fields = {
  user_id: '0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d',
  timestamp: '2026-01-02T03:04:05.678Z',
  webhook_id: 'wh_0190f3a0-0000-7000-8000-000000000000',
};
