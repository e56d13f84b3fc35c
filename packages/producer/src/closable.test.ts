import { describe, expect, it } from '@jest/globals';
import { deferred } from '@junction/async';
import { closable } from './closable.js';
import type { NewEvent, Published } from './event-producer.js';

const event: NewEvent = { type: 'draft.created', userId: 'user', data: {} };

describe('a producer that is closed', () => {
  it('disconnects when what is under way has been taken', async () => {
    const taken = deferred<Published>();
    const story: string[] = [];
    const producer = closable(
      async () => taken.promise,
      async () => void story.push('disconnected'),
    );

    const published = producer.publish(event).then(() => story.push('published'));
    const closed = producer.close();
    taken.resolve({ messageId: 'msg_1' });
    await Promise.all([published, closed]);

    expect(story).toEqual(['published', 'disconnected']);
  });

  it('disconnects after a failure too, and once however often it is closed', async () => {
    let disconnected = 0;
    const producer = closable(
      async () => Promise.reject(new Error('Kafka is away.')),
      async () => void disconnected++,
    );

    const published = producer.publish(event);
    await Promise.all([
      expect(published).rejects.toThrow('Kafka is away.'),
      producer.close(),
      producer.close(),
    ]);

    expect(disconnected).toBe(1);
  });

  it('takes nothing more', async () => {
    const sent: NewEvent[] = [];
    const producer = closable(
      async (event) => {
        sent.push(event);
        return { messageId: 'msg_1' };
      },
      async () => undefined,
    );
    await producer.close();

    await expect(producer.publish(event)).rejects.toThrow('The producer is closed');
    expect(sent).toEqual([]);
  });
});
