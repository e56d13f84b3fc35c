import { describe, expect, it } from '@jest/globals';
import { dataIn, deliveryBody } from './body.js';

const fields = {
  eventType: 'draft.created',
  userId: '8a5bfb6c-0a3a-4c39-9b1c-0f6f6a4f4d7e',
  time: new Date('2030-01-02T03:04:05.678Z'),
  webhookId: 'wh_0190f3a0-0000-7000-8000-000000000000',
};

describe('the body of a webhook request', () => {
  it('has exactly the five fields, in the order of the interface', () => {
    const body: unknown = JSON.parse(deliveryBody(fields, Buffer.from('{"a":1}')).toString());

    expect(body).toEqual({
      event_type: 'draft.created',
      user_id: fields.userId,
      data: { a: 1 },
      timestamp: '2030-01-02T03:04:05.678Z',
      webhook_id: fields.webhookId,
    });
    expect(Object.keys(body as object)).toEqual([
      'event_type',
      'user_id',
      'data',
      'timestamp',
      'webhook_id',
    ]);
  });

  it('carries the data byte for byte, spaces, big numbers and escapes included', () => {
    const data = Buffer.from(' {"n":12345678901234567890, "u":"\\u0041 é"} ');
    expect(deliveryBody(fields, data).includes(data)).toBe(true);
  });

  it('gives the data back, also those that look like what follows them', () => {
    const data = Buffer.from('{"a":{},"timestamp":"then","webhook_id":"wh"}');
    expect(dataIn(deliveryBody(fields, data), fields).toString()).toBe(data.toString());
  });

  it('is the same bytes each time', () => {
    const data = Buffer.from('{"b":2,"a":1}');
    expect(deliveryBody(fields, data).equals(deliveryBody(fields, data))).toBe(true);
  });
});
