import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import {
  type DomainEventMessage,
  type DomainEventType,
  encodeDomainEvent,
  messageId,
} from '@junction/contracts';
import { kafkaClient, type ProducerPort, TOPICS } from '@junction/messaging';
import {
  eventually,
  type Receiver,
  startReceiver,
  type TestDatabase,
  useBroker,
  useDatabase,
} from '@junction/testing';
import { type Issuer, startIssuer } from './issuer.js';
import { dispatcherSchema } from './schema.js';
import { type StartedDispatcher, startDispatcher } from './started-dispatcher.js';

const SETUP_MS = 90_000;
const log = { debug() {}, info() {}, warn() {}, error() {} };

/** A record as a foreign producer would write it; each field can be left out or made wrong. */
export interface RecordParts {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly data?: unknown;
  /** Instead of data. */
  readonly bytes?: Buffer;
}

export interface World {
  readonly dispatcher: StartedDispatcher;
  readonly receiver: Receiver;
  readonly database: TestDatabase;
  readonly issuer: Issuer;
  /** Another replica on the same database; its test ends it. */
  readonly startAnother: () => Promise<StartedDispatcher>;
  readonly newUser: () => string;
  /** A webhook of a new user, at a path of its own. */
  readonly newWebhook: (options?: object) => Promise<NewWebhook>;
  /** Writes to assistant.events.v1 and gives the message id. */
  readonly publish: (userId: string, parts?: RecordParts) => Promise<string>;
  readonly publishDomainEvent: <Type extends DomainEventType>(
    topic: string,
    type: Type,
    key: string,
    message: DomainEventMessage<Type>,
  ) => Promise<void>;
}

export interface NewWebhook {
  readonly userId: string;
  readonly webhookId: string;
  readonly path: string;
  readonly url: string;
}

/** A started dispatcher with everything around it, for one test file. */
export function useWorld(
  overrides: (receiver: Receiver) => Readonly<Record<string, string>> = () => ({}),
  { tls = false } = {},
): () => World {
  const database = useDatabase(dispatcherSchema);
  const broker = useBroker();
  const kafka = kafkaClient({ brokers: broker.brokers, clientId: 'test', log });
  let producer: ProducerPort;
  let issuer: Issuer;
  let receiver: Receiver;
  let dispatcher: StartedDispatcher;

  const start = () =>
    startDispatcher({ database: database(), broker, issuer }, overrides(receiver));

  beforeAll(async () => {
    // The broker may not know at once what it has just created.
    await eventually(() => kafka.admin().ensureTopics(TOPICS, broker.prefix), {
      deadlineMs: 30_000,
    });
    producer = await kafka.producer();
    issuer = await startIssuer();
    receiver = await startReceiver({ tls });
    dispatcher = await start();
  }, SETUP_MS);

  afterAll(async () => {
    await dispatcher?.end('SIGKILL');
    await Promise.all([producer?.close(), issuer?.close(), receiver?.close()]);
  }, SETUP_MS);

  const newWebhook = async (options: object = {}): Promise<NewWebhook> => {
    const userId = randomUUID();
    const path = `/hooks/${randomUUID()}`;
    const url = receiver.url + path;
    const json = { url, events: ['draft.created'], enabled: true, ...options };
    const { status, body } = await dispatcher.call(userId, 'POST', '/api/webhooks/configure', {
      json,
    });
    if (status !== 201) throw new Error(`configure answered ${status}: ${JSON.stringify(body)}`);
    return { userId, webhookId: String(body['webhook_id']), path, url };
  };

  const send = async (
    topic: string,
    key: string,
    headers: Readonly<Record<string, string | undefined>>,
    value: Buffer,
  ) => {
    const present = Object.entries(headers).filter((one): one is [string, string] => !!one[1]);
    await producer.sendBatch([
      { topic: broker.prefix + topic, key, headers: Object.fromEntries(present), value },
    ]);
  };

  return () => ({
    dispatcher,
    receiver,
    database: database(),
    issuer,
    startAnother: start,
    newUser: () => randomUUID(),
    newWebhook,

    async publish(userId, { key = userId, headers = {}, data = {}, bytes } = {}) {
      const id = randomUUID();
      const all = {
        ce_specversion: '1.0',
        ce_id: id,
        ce_source: '/tests',
        ce_type: 'draft.created',
        ce_subject: userId,
        ce_time: new Date().toISOString(),
        ...headers,
      };
      await send('assistant.events.v1', key, all, bytes ?? Buffer.from(JSON.stringify(data)));
      return messageId(all.ce_source, all.ce_id, userId);
    },

    async publishDomainEvent(topic, type, key, message) {
      const headers = {
        ce_specversion: '1.0',
        ce_id: randomUUID(),
        ce_source: 'junction/auth',
        ce_type: type,
        ce_time: new Date().toISOString(),
        ce_sequence: '1',
        'content-type': 'application/json',
      };
      await send(topic, key, headers, encodeDomainEvent(type, message));
    },
  });
}
