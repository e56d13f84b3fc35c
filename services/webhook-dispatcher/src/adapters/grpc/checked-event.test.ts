import { describe, expect, it } from '@jest/globals';
import {
  catalogueOf,
  DATA_BYTES_MAX,
  decodePublishRequest,
  messageId,
  PublishRequest,
} from '@junction/contracts';
import { checkedEvent } from './checked-event.js';

const checked = (request: PublishRequest) => checkedEvent(request, catalogueOf().schemas);
const USER = '0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d';
const event = {
  id: 'event-1',
  source: 'assistant/inbox',
  type: 'draft.created',
  userId: USER,
  time: undefined,
  dataJson: Buffer.from('{ "n": 1.0 }'),
};

describe('an event that comes over gRPC', () => {
  it('becomes the record that Kafka gets, its data byte for byte', () => {
    expect(checked(overTheWire(event))).toMatchObject({
      ok: true,
      record: { key: USER, value: event.dataJson, headers: { ce_id: 'event-1' } },
      messageId: messageId('assistant/inbox', 'event-1', USER),
    });
  });

  it.each(['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])(
    'may have happened at %s',
    (time) => {
      const found = checked(overTheWire({ ...event, time: new Date(time) }));
      expect(found).toMatchObject({ record: { headers: { ce_time: time } } });
    },
  );

  it.each([
    ['id', 'ce_id_invalid', { id: '' }],
    ['id', 'ce_id_invalid', { id: 'a'.repeat(257) }],
    ['source', 'ce_source_invalid', { source: 'a\nb' }],
    ['type', 'ce_type_unknown', { type: 'made.up' }],
    ['user_id', 'ce_subject_invalid', { userId: 'me' }],
    ['time', 'ce_time_invalid', { time: new Date('+010000-01-01T00:00:00Z') }],
    ['time', 'ce_time_invalid', { time: new Date('0000-12-31T23:59:59Z') }],
    ['data_json', 'data_missing', { dataJson: Buffer.alloc(0) }],
    ['data_json', 'data_too_large', { dataJson: Buffer.alloc(DATA_BYTES_MAX + 1, ' ') }],
    ['data_json', 'data_not_json', { dataJson: Buffer.from('{') }],
    ['data_json', 'data_not_object', { dataJson: Buffer.from('[]') }],
    ['data_json', 'data_invalid', { type: 'inbox.organized' }],
  ])('is refused naming %s: %s', (field, code, wrong) => {
    const found = checked(overTheWire({ ...event, ...wrong }));
    expect(found).toEqual({ ok: false, field, code, reason: expect.stringMatching(/\.$/) });
  });
});

const overTheWire = (request: PublishRequest) =>
  decodePublishRequest(PublishRequest.encode(request).finish());
