import { describe, expect, it } from '@jest/globals';
import { eventIn } from './authorized-stream.js';

describe('a server-sent event', () => {
  it('has its id, its type and its data', () => {
    expect(eventIn('id: 7\nevent: delivery.attempted\ndata: {"a":"b: c"}')).toEqual({
      id: '7',
      type: 'delivery.attempted',
      data: '{"a":"b: c"}',
    });
  });

  it('is a message without a type, and may have several lines', () => {
    expect(eventIn('data:one\ndata: two')).toEqual({
      id: undefined,
      type: 'message',
      data: 'one\ntwo',
    });
  });

  it.each([': beat', 'retry: 3000', ''])('is none in “%s”', (block) => {
    expect(eventIn(block)).toBeUndefined();
  });
});
