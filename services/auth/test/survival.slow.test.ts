import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeDomainEvent, isDomainEventType } from '@junction/contracts';
import {
  type InboundRecord,
  type KafkaPort,
  kafkaClient,
  type Subscription,
  TOPICS,
  topicName,
} from '@junction/messaging';
import { eventually, useBroker, useDatabase } from '@junction/testing';
import { askOf, logIn, signUp, tokensOf } from './http-client.js';
import { authSchema } from './schema.js';
import { type StartedAuth, startAuth } from './started-auth.js';

const TOPIC = 'auth.events.v1';

const database = useDatabase(authSchema);
const broker = useBroker();
const heard: InboundRecord[] = [];
let auth: StartedAuth;
let subscription: Subscription;

beforeAll(async () => {
  const quiet = () => {};
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const kafka = kafkaClient({ brokers: broker.brokers, clientId: 'auth-e2e', log });
  const spec = TOPICS.filter(({ name }) => name === TOPIC);
  await kafka.admin().ensureTopics(spec, broker.prefix);
  auth = await startAuth(database(), broker);
  subscription = listen(kafka);
});
afterAll(async () => {
  await auth.dispose();
  await subscription.stop();
});

const ask = askOf(() => auth.url);

describe('the topic auth.events.v1', () => {
  it('tells of a user in order, as CloudEvents without anything personal', async () => {
    const person = await signUp(ask);
    await ask('DELETE', '/api/auth/me', {
      token: person.accessToken,
      json: { password: person.password },
    });

    const records = await eventually(() => {
      const found = heard.filter(({ headers }) => headers['ce_subject'] === person.id);
      expect(found).toHaveLength(3);
      return found;
    });
    expect(records.find(({ headers }) => headers['ce_type'] === 'user.deleted')).toMatchObject({
      key: person.id,
      headers: {
        ce_specversion: '1.0',
        ce_source: 'junction/auth',
        ce_subject: person.id,
        ce_sequence: '2',
        'content-type': 'application/json',
      },
    });
    expect(eventOf(records, 'session.revoked')).toEqual({
      userId: person.id,
      sessionId: person.sessionId,
      reason: 'user_deleted',
      occurredAt: expect.any(Date),
    });
    expect(eventOf(records, 'user.registered')).toEqual({
      userId: person.id,
      occurredAt: expect.any(Date),
      origin: '',
    });
    for (const { value } of records) expect(String(value)).not.toContain(person.email);
  });

  it('tells of a log-out and of keys', async () => {
    const { id: userId, accessToken: token, sessionId } = await signUp(ask);
    const { body } = await ask('POST', '/api/auth/api-keys', { token, json: { name: 'laptop' } });
    const { id: keyId } = body as { id: string };
    await ask('DELETE', `/api/auth/api-keys/${keyId}`, { token });
    await ask('POST', '/api/auth/logout', { token });

    const records = await eventually(() => {
      const found = heard.filter(({ headers }) => headers['ce_subject'] === userId);
      expect(found).toHaveLength(4);
      return found;
    });
    expect(eventOf(records, 'session.revoked')).toMatchObject({ sessionId, reason: 'logout' });
    expect(eventOf(records, 'api_key.created')).toMatchObject({ keyId, scopes: ['api'] });
    expect(eventOf(records, 'api_key.revoked')).toMatchObject({ keyId, reason: 'user' });
  });
});

describe('a service that is killed', () => {
  it('knows its users, sessions, keys and signing keys when it is back, and tells what it had not told', async () => {
    const person = await signUp(ask);
    const { body } = await ask('POST', '/api/auth/api-keys', {
      token: person.accessToken,
      json: { name: 'laptop' },
    });
    const { key } = body as { key: string };

    await auth.end('SIGKILL');
    await auth.startAgain();

    for (const token of [person.accessToken, key]) {
      expect((await ask('GET', '/api/auth/me', { token })).status).toBe(200);
    }
    await expect(logIn(ask, person)).resolves.toBeDefined();
    const refreshed = await ask('POST', '/api/auth/refresh', {
      json: { refresh_token: person.refreshToken },
    });
    expect(tokensOf(refreshed.body).sessionId).toBe(person.sessionId);
    await eventually(() => {
      const told = heard.filter(({ headers }) => headers['ce_subject'] === person.id);
      const types = new Set(told.map(({ headers }) => headers['ce_type']));
      expect(types).toEqual(new Set(['user.registered', 'api_key.created']));
    });
  });
});

describe('without Kafka', () => {
  it('people can still sign up, and what is to be told waits', async () => {
    const cutOff = await startAuth(database(), broker, { KAFKA_BROKERS: '127.0.0.1:1' });
    const signedUp = await signUp(askOf(() => cutOff.url));
    await cutOff.dispose();

    // The other replica tells it, when what the dead one had leased is free to take.
    await eventually(
      () => {
        const told = heard.filter(({ headers }) => headers['ce_subject'] === signedUp.id);
        expect(told.map(({ headers }) => headers['ce_type'])).toContain('user.registered');
      },
      { deadlineMs: 30_000 },
    );
  });
});

function listen(kafka: KafkaPort): Subscription {
  return kafka.runConsumer({
    group: `${broker.prefix}listener`,
    topics: [topicName(broker.prefix, TOPIC)],
    concurrency: 1,
    onAssigned(partitions, control) {
      for (const at of partitions) {
        control.seek(at, 0n);
        control.resume(at);
      }
    },
    async onBatch({ records, resolve }) {
      for (const record of records) {
        heard.push(record);
        resolve(record.offset);
      }
    },
    onSkipped() {},
  });
}

function eventOf(records: readonly InboundRecord[], type: string): unknown {
  const found = records.find(({ headers }) => headers['ce_type'] === type);
  if (!found?.value || !isDomainEventType(type)) throw new Error(`No record told of ${type}.`);
  return decodeDomainEvent(type, found.value);
}
