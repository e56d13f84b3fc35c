import { randomUUID } from 'node:crypto';
import {
  type DomainEventMessage,
  type DomainEventType,
  encodeDomainEvent,
} from '@junction/contracts';
import { type KafkaPort, kafkaClient, type ProducerPort, TOPICS } from '@junction/messaging';
import { eventually } from '../eventually.js';
import { jestHooks } from '../jest-hooks.js';
import { PUBLIC_URL, type TestService } from '../start-test-service.js';
import type { Template } from '../template.js';
import { startTokenIssuer, type TokenIssuer } from '../token-issuer.js';
import { type TestBroker, useBroker } from '../use-broker.js';
import { type TestDatabase, useDatabase } from '../use-database.js';

const SETUP_MS = 90_000;
const TOPICS_WITHIN_MS = 30_000;
const log = { debug() {}, info() {}, warn() {}, error() {} };

/** The surroundings that every service of the product has. */
export interface Surroundings {
  readonly database: TestDatabase;
  readonly broker: TestBroker;
  /** Signs the tokens of users and services in place of auth. */
  readonly issuer: TokenIssuer;
}

interface Closed {
  close(): Promise<unknown>;
}

/** The parts of a stage that differ between services. */
export interface StageOptions<Around extends Closed, Service extends TestService> {
  readonly schema: Template;
  /** Starts what else stands around the service, such as somebody else's server. */
  readonly around: (surroundings: Surroundings) => Promise<Around>;
  /** Starts a replica of the service as a process of its own. The first one is the `service` of the stage. */
  readonly start: (
    surroundings: Surroundings,
    around: Around,
    isFirst: boolean,
  ) => Promise<Service>;
  /** Ends the service and takes its files away; absent: it is killed. */
  readonly end?: (service: Service) => Promise<unknown>;
}

/** A started service and its surroundings. */
export interface Stage<Around, Service> extends Surroundings {
  readonly service: Service;
  readonly around: Around;
  readonly kafka: KafkaPort;
  /** Starts another replica on the same database; its test ends it. */
  readonly startAnother: () => Promise<Service>;
  /** Writes a record to a topic. Headers without a value are left out. */
  readonly send: (
    topic: string,
    key: string,
    headers: Readonly<Record<string, string | undefined>>,
    value: Buffer,
  ) => Promise<void>;
  /** Writes an event as auth publishes it. */
  readonly publishDomainEvent: <Type extends DomainEventType>(
    topic: string,
    type: Type,
    key: string,
    message: DomainEventMessage<Type>,
  ) => Promise<void>;
}

/** Starts a service with everything around it before the tests of a file, and ends all of it after them. */
export function useStage<Around extends Closed, Service extends TestService>({
  schema,
  around,
  start,
  end = (service) => service.end('SIGKILL'),
}: StageOptions<Around, Service>): () => Stage<Around, Service> {
  const database = useDatabase(schema);
  const broker = useBroker();
  const kafka = kafkaClient({ brokers: broker.brokers, clientId: 'test', log });
  const { beforeAll, afterAll } = jestHooks();
  const opened: (() => Promise<unknown>)[] = [];
  let stage: Stage<Around, Service> | undefined;

  beforeAll(async () => {
    // The broker may not know at once what it has just created.
    await eventually(() => kafka.admin().ensureTopics(TOPICS, broker.prefix), {
      deadlineMs: TOPICS_WITHIN_MS,
    });
    const producer = await kafka.producer();
    opened.push(() => producer.close());
    const issuer = await startTokenIssuer(PUBLIC_URL);
    opened.push(() => issuer.close());
    const surroundings = { database: database(), broker, issuer };
    const others = await around(surroundings);
    opened.push(() => others.close());
    const service = await start(surroundings, others, true);
    opened.push(() => end(service));
    stage = {
      ...surroundings,
      ...senders(producer, broker.prefix),
      service,
      around: others,
      kafka,
      startAnother: () => start(surroundings, others, false),
    };
  }, SETUP_MS);
  afterAll(async () => {
    for (let close = opened.pop(); close; close = opened.pop()) await close();
  }, SETUP_MS);

  return () => {
    if (stage) return stage;
    throw new Error('The stage is there from beforeAll on: call this inside a test or a hook.');
  };
}

function senders(
  producer: ProducerPort,
  prefix: string,
): Pick<Stage<never, never>, 'send' | 'publishDomainEvent'> {
  const send: Stage<never, never>['send'] = async (topic, key, headers, value) => {
    const present = Object.entries(headers).filter((one): one is [string, string] => !!one[1]);
    const record = { topic: prefix + topic, key, headers: Object.fromEntries(present), value };
    await producer.sendBatch([record]);
  };
  return {
    send,
    publishDomainEvent: async (topic, type, key, message) => {
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
  };
}
