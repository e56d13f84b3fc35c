import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Product, signUp, startProduct } from '@junction/demo';
import { type EventProducer, kafkaProducer } from '@junction/producer';
import { apiAt, eventually, type Receiver, startReceiver } from '@junction/testing';

const MINUTE = 60_000;
const EVENTS = 60;
const KILL_AFTER = 20;
const BETWEEN_EVENTS_MS = 20;
const ACKNOWLEDGED_WITHIN_MS = MINUTE;
const DELIVERED_WITHIN_MS = MINUTE;
const TRIES_EVERY_MS = 200;

jest.setTimeout(4 * MINUTE);

let product: Product;
let receiver: Receiver;
let producer: EventProducer;

beforeAll(async () => {
  receiver = await startReceiver();
  product = await startProduct(process.env, { WEBHOOK_RETRY_SCHEDULE_S: '1,1,2,2,5,5,5,5,5' });
  producer = await kafkaProducer({ brokers: [product.endpoints.kafka], source: '/survival' });
});

afterAll(async () => {
  await producer?.close();
  expect(await product?.stop()).toBe(0);
  await receiver?.close();
});

describe('an event acknowledged to its producer', () => {
  it.each(['auth', 'integrations', 'webhook-dispatcher', 'kafka', 'postgres'])(
    'is delivered although %s is killed and started again meanwhile',
    async (victim) => {
      const ada = await signUp(apiAt(product.endpoints.gateway));
      const path = `/${victim}/${randomUUID()}`;
      const json = { url: receiver.url + path, events: ['draft.created'], enabled: true };
      const configured = await ada.call('POST', '/api/webhooks/configure', { json });
      expect(configured.status).toBe(201);

      const before = pidOf(victim);
      const acknowledged: string[] = [];
      for (let n = 0; n < EVENTS; n++) {
        if (n === KILL_AFTER) process.kill(pidOf(victim), 'SIGKILL');
        acknowledged.push(await publish(ada.id, n));
        await pause(BETWEEN_EVENTS_MS);
      }

      await eventually(
        () => {
          const { length } = missing(path, acknowledged);
          if (length === 0) return;
          throw new Error(`${length} events were not delivered. It printed:\n${product.output()}`);
        },
        { deadlineMs: DELIVERED_WITHIN_MS, pollMs: TRIES_EVERY_MS },
      );
      // An event sent twice carries the same webhook-id, so there are no more ids than events.
      expect(new Set(idsAt(path))).toEqual(new Set(acknowledged));
      await eventually(() => expect([undefined, before]).not.toContain(product.pids()[victim]), {
        deadlineMs: MINUTE,
      });
    },
  );
});

function pidOf(name: string): number {
  const pid = product.pids()[name];
  if (pid !== undefined) return pid;
  throw new Error(`${name} runs on no process of this machine.`);
}

/** Publishes until the broker has acknowledged: under one id, so that a repeat is one event. */
async function publish(userId: string, n: number): Promise<string> {
  const event = { id: randomUUID(), type: 'draft.created' as const, userId, data: { n } };
  return eventually(async () => (await producer.publish(event)).messageId, {
    deadlineMs: ACKNOWLEDGED_WITHIN_MS,
    pollMs: TRIES_EVERY_MS,
  });
}

const idsAt = (path: string): string[] =>
  receiver.requests
    .filter((request) => request.path === path)
    .map(({ headers }) => String(headers['webhook-id']));

function missing(path: string, acknowledged: readonly string[]): string[] {
  const arrived = new Set(idsAt(path));
  return acknowledged.filter((id) => !arrived.has(id));
}
