import { describe, expect, it } from '@jest/globals';
import type { AssistantEvent, DeliveryDetail } from '../api/answers.js';
import { explanation } from './explain.js';

describe('the explanation of an event that was not delivered', () => {
  it('is that there was no webhook', () => {
    expect(explanation({ ...event, webhooks: [] }, [])).toEqual([
      'Its user had no webhook when it came, so there was nobody to send it to.',
    ]);
  });

  it('is told for each webhook that did not match, and each delivery', () => {
    expect(explanation(event, [delivery])).toEqual([
      'wh_1 did not get it (kind_not_selected): It does not name this kind.',
      'dlv_1 to wh_2 is retrying (http_500); after one attempt; the last: HTTP 500 after 12 ms. The receiver answered with HTTP 500.; it is tried again at 2030-01-01T00:00:05Z',
    ]);
  });
});

const event: AssistantEvent = {
  message_id: 'msg_1',
  event_type: 'draft.created',
  source: '/assistant',
  id: '1',
  received_at: '2030-01-01T00:00:00Z',
  repeats: 0,
  last_repeat_at: null,
  webhooks: [
    {
      webhook_id: 'wh_1',
      matched: false,
      verdict: 'kind_not_selected',
      detail: 'It does not name this kind.',
    },
    { webhook_id: 'wh_2', matched: true, verdict: 'matched', detail: 'It was sent.' },
  ],
  deliveries: [],
};

const delivery: DeliveryDetail = {
  delivery_id: 'dlv_1',
  webhook_id: 'wh_2',
  webhook_url: 'https://example.com/hook',
  webhook_description: null,
  message_id: 'msg_1',
  event_type: 'draft.created',
  status: 'retrying',
  reason: 'http_500',
  attempt_count: 1,
  created_at: '2030-01-01T00:00:00Z',
  event_time: '2030-01-01T00:00:00Z',
  next_attempt_at: '2030-01-01T00:00:05Z',
  rests_until: null,
  ended_at: null,
  redelivery_of: null,
  operation_id: null,
  test: false,
  response_status: 500,
  payload_expunged_at: null,
  request_body: null,
  attempts: [
    {
      attempt: 1,
      at: '2030-01-01T00:00:00Z',
      result: 'http_500',
      detail: 'The receiver answered with HTTP 500.',
      response_status: 500,
      timing: { dns_ms: 1, connect_ms: 2, tls_ms: 3, first_byte_ms: 11, total_ms: 12 },
      response_headers: null,
      response_sample: null,
    },
  ],
};
