import { describe, expect, it } from '@jest/globals';
import { startReceiver } from '@junction/testing';
import { verify } from '@junction/webhook-signing';
import { forward } from './forward.js';
import { answerWords } from './listen.js';

describe('forwarding an event', () => {
  const event = {
    messageId: 'msg_1',
    body: JSON.stringify({
      event_type: 'draft.created',
      user_id: 'u',
      data: { name: 'Zoë' },
      timestamp: '2030-01-01T00:00:00Z',
      webhook_id: 'wh_1',
    }),
  };

  it('signs it with the secret', async () => {
    const receiver = await startReceiver();
    receiver.answer({ status: 202 });
    const answer = await forward(`${receiver.url}/hook`, event, 'a secret');
    const [request] = receiver.requests;
    await receiver.close();
    expect(answer).toEqual({ status: 202, ms: expect.any(Number) });
    expect(request?.body.toString()).toBe(event.body);
    expect(request?.headers['webhook-id']).toBe('msg_1');
    expect(() => verify(request?.body ?? '', request?.headers ?? {}, 'another')).toThrow(
      'signature',
    );
    expect(verify(request?.body ?? '', request?.headers ?? {}, 'a secret')).toBeDefined();
  });

  it('says so when nothing listens there', async () => {
    const receiver = await startReceiver();
    await receiver.close();
    const answer = await forward(receiver.url, event, 'a secret');
    expect(answerWords(answer)).toBe('not forwarded: nothing listens there');
  });
});
