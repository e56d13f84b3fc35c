import { describe, expect, it } from '@jest/globals';
import { Timestamp } from './gen/google/protobuf/timestamp.js';
import { PublishRequest } from './gen/junction/events/v1/events.js';
import { decodePublishRequest } from './publish-request.js';

describe('the time of an event that comes over gRPC', () => {
  it.each([
    [{ seconds: 0, nanos: 0 }, '1970-01-01T00:00:00.000Z'],
    [{ seconds: -1, nanos: 999_999_999 }, '1969-12-31T23:59:59.999Z'],
    [{ seconds: -62_135_596_800, nanos: 0 }, '0001-01-01T00:00:00.000Z'],
    [{ seconds: 253_402_300_799, nanos: 999_999_999 }, '9999-12-31T23:59:59.999Z'],
  ])('is to the millisecond what its Timestamp says: %j', (timestamp, time) => {
    expect(decodePublishRequest(requestWith(Timestamp.encode(timestamp).finish()))).toEqual({
      ...event,
      time: new Date(time),
    });
  });

  it.each([
    { seconds: -62_135_596_801, nanos: 0 },
    { seconds: 253_402_300_800, nanos: 0 },
    { seconds: Number.MAX_SAFE_INTEGER, nanos: 0 },
    { seconds: 0, nanos: -1 },
    { seconds: 0, nanos: 1_000_000_000 },
  ])('is none where its Timestamp is out of range: %j', (timestamp) => {
    const { time, ...others } = decodePublishRequest(
      requestWith(Timestamp.encode(timestamp).finish()),
    );
    expect(time?.getTime()).toBeNaN();
    expect({ ...others, time: undefined }).toEqual(event);
  });

  it('is none where its seconds are more than a number holds', () => {
    // Field 1, and 2^63 - 1 as a varint.
    const seconds = Buffer.from([0x08, ...Array.from({ length: 8 }, () => 0xff), 0x7f]);
    expect(decodePublishRequest(requestWith(seconds)).time?.getTime()).toBeNaN();
  });

  it('may be absent', () => {
    expect(decodePublishRequest(PublishRequest.encode(event).finish())).toEqual(event);
  });
});

const event = {
  id: 'event-1',
  source: 'assistant/inbox',
  type: 'draft.created',
  userId: '0d5f0c9e-6f0a-4a55-9a3b-2f0e6a1b7c3d',
  time: undefined,
  dataJson: Buffer.from('{ "n": 1.0 }'),
};

/** The event with these bytes as its Timestamp, between its fields. */
function requestWith(timestamp: Uint8Array): Uint8Array {
  const { dataJson, ...before } = event;
  return Buffer.concat([
    PublishRequest.encode({ ...before, dataJson: Buffer.alloc(0) }).finish(),
    Buffer.from([(5 << 3) | 2, timestamp.length]),
    timestamp,
    PublishRequest.encode({ ...EMPTY, dataJson }).finish(),
  ]);
}

const EMPTY = { id: '', source: '', type: '', userId: '', time: undefined };
