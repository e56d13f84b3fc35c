import { randomUUID } from 'node:crypto';
import { type Product, type SharedProduct, signUp } from '@junction/demo';
import { kafkaClient } from '@junction/messaging';
import { apiAt } from '@junction/testing';
import { Client as Database } from 'pg';
import { junction, startJunction } from './junction.js';

export const MINUTE = 60_000;

/** Topic and name of the consumer of assistant events. */
export const TOPIC = 'assistant.events.v1';
export const CONSUMER = 'webhook-dispatcher.assistant';

const log = { debug() {}, info() {}, warn() {}, error() {} };

/** Command lines of the operator of a product that is there: begun as a process, or run to the end. */
export function commandsOf(product: () => SharedProduct) {
  return {
    begin: (line: string) => startJunction(product(), line.split(' ')),
    cli: async (line: string) => junction(product(), line.split(' ')),
  };
}

/** The environment of somebody who asks without a checkout. */
export const asAccount = (
  { endpoints }: Pick<SharedProduct, 'endpoints'>,
  account: 'operator' | 'worker',
) => ({
  JUNCTION_ENV: 'development',
  JUNCTION_CLIENT_ID: endpoints[account].client_id,
  JUNCTION_CLIENT_SECRET: endpoints[account].client_secret,
  JUNCTION_TOKEN_URL: new URL('/oauth/token', endpoints.gateway).href,
  AUTH_URL: endpoints.http.auth,
  INTEGRATIONS_URL: endpoints.http.integrations,
});

/** A user with a paused webhook: two streams with events in them. */
export async function userWithWebhook({ endpoints }: Pick<SharedProduct, 'endpoints'>) {
  const { id, email, call } = await signUp(apiAt(endpoints.gateway));
  const url = `http://127.0.0.1:9/${randomUUID()}`;
  const configured = await call('POST', '/api/webhooks/configure', {
    json: { url, events: ['draft.created'], enabled: true },
  });
  const webhookId = (configured.body as { webhook_id: string }).webhook_id;
  await call('PATCH', `/api/webhooks/${webhookId}`, { json: { paused: true } });
  return { address: email, call, webhookId, user: `user-${id}`, webhook: `webhook-${webhookId}` };
}

/** Publishes as any client of Kafka can, also what no handler takes. */
export async function publisher({ endpoints }: Pick<SharedProduct, 'endpoints'>) {
  const kafka = kafkaClient({ brokers: [endpoints.kafka], clientId: 'junction-test', log });
  const producer = await kafka.producer();
  return {
    publish: async (userId: string, kind: string, data: object): Promise<void> => {
      const headers = {
        ce_specversion: '1.0',
        ce_id: randomUUID(),
        ce_source: '/junction-test',
        ce_type: kind,
        ce_subject: userId,
        'content-type': 'application/json',
      };
      const value = Buffer.from(JSON.stringify(data));
      await producer.sendBatch([{ topic: TOPIC, key: userId, value, headers }]);
    },
    close: async () => producer.close(),
  };
}

export type Publisher = Awaited<ReturnType<typeof publisher>>;

/** Works in the database of a service, as a person with psql does. */
export async function inDatabase<T>(
  { databaseUrls }: Pick<Product, 'databaseUrls'>,
  database: 'auth' | 'integrations' | 'webhooks',
  work: (client: Database) => Promise<T>,
): Promise<T> {
  const connectionString = databaseUrls.find((url) => url.endsWith(`/${database}`));
  const client = new Database({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The product of `operators.e2e.test.ts`, as its cases use it. */
export interface OperatedProduct extends ReturnType<typeof commandsOf> {
  readonly product: () => Product;
  readonly events: () => Publisher;
  /** A user whose webhook is paused. */
  readonly user: () => Awaited<ReturnType<typeof userWithWebhook>>;
}
