import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, type Person, signUp, worker } from '@junction/demo';
import { deleteTopics } from '@junction/local-stack';
import { kafkaProducer } from '@junction/producer';
import {
  apiAt,
  type Call,
  eventually,
  type ReceivedRequest,
  type Receiver,
  startReceiver,
} from '@junction/testing';
import { type Replicated, startReplicated } from '../src/rolling/replicas.js';
import { baseBackup } from './base-backup.js';
import { junctionWith } from './junction.js';
import { credentialsOf, endAll, type Key, newKey, signInAgain } from './key-and-session.js';

const MINUTE = 60_000;
/** Longer than any token lives, so that vending refreshes the token. */
const REFRESHED = { provider: 'mailbox', minLifetimeS: 86_400 };
const FAILED_PRECONDITION = 9;

let product: Replicated;
let receiver: Receiver;
let api: Call;
let ada: Person;
let dan: Person;
let keyOfDan: Key;

beforeAll(async () => {
  receiver = await startReceiver();
  product = await startReplicated(process.env);
  api = apiAt(product.endpoints.gateway);
  [ada, dan] = [await signUp(api), await signUp(api)];
  keyOfDan = await newKey(dan);
  await connect(dan, 'mailbox');
  const json = { url: `${receiver.url}/in`, events: ['draft.created'], enabled: true };
  expect((await ada.call('POST', '/api/webhooks/configure', { json })).status).toBe(201);
  await delivered();

  const backup = await baseBackup(product.adminUrl);
  try {
    await endAll(api, dan, keyOfDan);
    // A revocation that still waits in the queue would be lost with the database.
    await mailboxOfDan({ provider_revocation: 'done' });
    const back = product.disaster(async () => {
      backup.restore();
      await deleteTopics(product.endpoints.kafka, '');
    });
    // No service is ready while the offsets of its consumers count in topics that are gone.
    await Promise.all([
      back,
      eventually(resetConsumers, { deadlineMs: 2 * MINUTE, pollMs: 1_000 }),
    ]);
  } finally {
    backup.remove();
  }
}, 6 * MINUTE);

afterAll(async () => {
  await product?.stop();
  await receiver?.close();
});

describe('after the databases were restored and the records of Kafka are lost too', () => {
  it('events are delivered, once consumers go on at the beginning', async () => {
    expect((await delivered()).path).toBe('/in');
  });

  it('signing out all users ends every session and key', async () => {
    // Sessions and keys that were ended after the backup are alive again: nothing that is left knows of their end.
    const answers = async () => Promise.all([keyOfDan.key, dan.token, ada.token].map(me));
    expect(await answers()).toEqual([200, 200, 200]);

    await junction('users', 'sign-out', '--everybody', '--api-keys');

    await eventually(async () => expect(await answers()).toEqual([401, 401, 401]));
    expect((await api('POST', '/api/auth/login', { json: credentialsOf(ada) })).status).toBe(200);
  });

  it('a connection that was disconnected ends at its next refresh', async () => {
    const tokens = worker(product.endpoints);
    await expect(tokens.get({ userId: dan.id, ...REFRESHED })).rejects.toMatchObject({
      cause: { code: FAILED_PRECONDITION },
    });
    tokens.close();
    await mailboxOfDan({ status: expect.stringMatching(/^(reconnect_required|revoked)$/) });
  });
});

/** Publishes an event of ada's, and waits until the receiver has it. */
async function delivered(): Promise<ReceivedRequest> {
  const id = randomUUID();
  const producer = await kafkaProducer({ brokers: [product.endpoints.kafka], source: '/drill' });
  const data = { draft_id: randomUUID() };
  await producer.publish({ id, type: 'draft.created', userId: ada.id, data });
  await producer.close();
  return receiver.waitFor(({ body }) => body.includes(data.draft_id), MINUTE);
}

/** Signs dan in again, and waits until dan's connection shows this. */
async function mailboxOfDan(shown: object): Promise<void> {
  const call = await signInAgain(api, dan);
  const view = async () => (await call('GET', '/api/integrations/mailbox')).body;
  await eventually(async () => expect(await view()).toMatchObject(shown));
}

const me = async (token: string) => (await api('GET', '/api/auth/me', { token })).status;

async function resetConsumers(): Promise<void> {
  for (const service of ['auth', 'integrations', 'webhooks']) {
    await junction('consumers', 'reset-all', '-s', service);
  }
}

/** The command of an operator. @throws when it fails. */
function junction(...args: readonly string[]): Promise<string> {
  const { gateway, http, operator } = product.endpoints;
  const variables = {
    JUNCTION_ENV: 'development',
    JUNCTION_CLIENT_ID: operator.client_id,
    JUNCTION_CLIENT_SECRET: operator.client_secret,
    JUNCTION_TOKEN_URL: new URL('/oauth/token', gateway).href,
    AUTH_URL: http.auth,
    INTEGRATIONS_URL: http.integrations,
    WEBHOOKS_URL: http.webhooks,
  };
  return junctionWith(variables, args);
}
