import { describe, expect, it } from '@jest/globals';
import { catalogueOf, messageId } from '@junction/contracts';
import { exampleOf, testEvent } from './send-test.js';

describe('a test event', () => {
  const catalogue = catalogueOf();
  const at = { userId: 'ada', time: new Date('2030-01-01T12:00:00Z') };
  const event = (kind: string) => testEvent(catalogue, exampleOf(catalogue, kind), at);
  const dataOf = (kind: string) => JSON.parse(event(kind).data.toString()) as unknown;

  it("is the catalogue's example of its kind, marked as a test", () => {
    expect(dataOf('inbox.organized')).toMatchObject({
      total_emails: expect.any(Number),
      test: true,
    });
    expect(dataOf('no.example')).toEqual({ test: true });
  });

  it('leaves the numbers of other data as they are', () => {
    const data = Buffer.from('{ "id": 9007199254740993 }');
    const { data: sent } = testEvent(catalogue, { kind: 'draft.created', data }, at);
    expect(sent.toString()).toBe('{ "id": 9007199254740993 ,"test":true}');
  });

  it('has one mark, whatever the data say of a test', () => {
    const sentOf = (text: string) =>
      testEvent(catalogue, { kind: 'draft.created', data: Buffer.from(text) }, at).data.toString();
    expect(sentOf('{"n":1,"test":true}')).toBe('{"n":1,"test":true}');
    expect(sentOf('{"test":false,"n":1}')).toBe('{"test":true,"n":1}');
  });

  it('comes now from a source of its own, and is never the same as another one', () => {
    const [one, other] = [event('a'), event('a')];
    expect(one).toMatchObject({
      userId: 'ada',
      kind: 'a',
      source: 'junction/test',
      time: at.time,
      at: at.time,
    });
    expect(one.messageId).toBe(messageId('junction/test', one.id, 'ada'));
    expect(other.messageId).not.toBe(one.messageId);
  });
});
