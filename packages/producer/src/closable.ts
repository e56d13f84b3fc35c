import { atMost } from '@junction/async';
import type { EventData } from '@junction/contracts';
import type { EventProducer, NewEvent, Published } from './event-producer.js';

const CLOSE_MAX_MS = 10_000;

/** Says in words that an event was not taken, and by whom. A code of gRPC stays. */
export function notTaken(by: string, cause: { readonly message: string; readonly code?: unknown }) {
  const message = `${by} did not take the event (${cause.message}). It may be there all the same: publish it again with the same id.`;
  return Object.assign(new Error(message, { cause }), { code: cause.code });
}

/** The producer over a way to send, and to disconnect once everything is sent. */
export function closable<Data extends object = EventData>(
  send: (event: NewEvent<Data>) => Promise<Published>,
  disconnect: () => Promise<void>,
): EventProducer<Data> {
  const underWay = new Set<Promise<Published>>();
  let closing: Promise<void> | undefined;

  return {
    async publish(event) {
      if (closing) throw new Error('The producer is closed: open another one to publish.');
      const sent = send(event);
      underWay.add(sent);
      return sent.finally(() => underWay.delete(sent));
    },

    async close() {
      closing ??= atMost(CLOSE_MAX_MS, Promise.allSettled(underWay)).then(disconnect);
      await closing;
    },
  };
}
