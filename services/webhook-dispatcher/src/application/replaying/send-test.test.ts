import { describe, expect, it } from '@jest/globals';
import { catalogueOf, messageId } from '@junction/contracts';
import { testEvent } from './send-test.js';

describe('a test event', () => {
  const time = new Date('2030-01-01T12:00:00Z');
  const event = (kind: string) => testEvent(catalogueOf(), { userId: 'ada', kind, time });
  const dataOf = (kind: string) => JSON.parse(event(kind).data.toString()) as unknown;

  it("is the catalogue's example of its kind, marked as a test", () => {
    expect(dataOf('inbox.organized')).toMatchObject({
      total_emails: expect.any(Number),
      test: true,
    });
    expect(dataOf('no.example')).toEqual({ test: true });
  });

  it('comes now from a source of its own, and is never the same as another one', () => {
    const [one, other] = [event('a'), event('a')];
    expect(one).toMatchObject({
      userId: 'ada',
      kind: 'a',
      source: 'junction/test',
      time,
      at: time,
    });
    expect(one.messageId).toBe(messageId('junction/test', one.id, 'ada'));
    expect(other.messageId).not.toBe(one.messageId);
  });
});
