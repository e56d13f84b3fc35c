import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import {
  type DomainEventMessage,
  type DomainEventType,
  encodeDomainEvent,
} from '@junction/contracts';
import { walkConsent } from '@junction/dev-servers/provider';
import { type KafkaPort, kafkaClient, type ProducerPort, TOPICS } from '@junction/messaging';
import {
  freePort,
  type ServiceAnswer,
  startTokenIssuer,
  type TestBroker,
  type TestDatabase,
  type TokenIssuer,
  useBroker,
  useDatabase,
} from '@junction/testing';
import { type FaultyProvider, PUBLIC_URL, startFaultyProvider } from './faulty-provider.js';
import { integrationsSchema } from './schema.js';
import {
  type StartedIntegrations,
  type Surroundings,
  startIntegrations,
} from './started-integrations.js';

const SETUP_MS = 90_000;
const log = { debug() {}, info() {}, warn() {}, error() {} };

/** User with an account at the provider. */
export interface Person {
  readonly userId: string;
  readonly email: string;
}

/** Parameters that come back from the consent page. */
export interface Consent {
  readonly code: string;
  readonly state: string;
  readonly iss: string;
}

export interface World {
  readonly service: StartedIntegrations;
  readonly provider: FaultyProvider;
  readonly database: TestDatabase;
  readonly broker: TestBroker;
  readonly issuer: TokenIssuer;
  readonly kafka: KafkaPort;
  readonly surroundings: Surroundings;
  readonly newPerson: () => Person;
  /** Asks for an authorization and walks through the consent page. */
  readonly consent: (
    person: Person,
    provider?: string,
    allow?: boolean | readonly string[],
  ) => Promise<Consent>;
  readonly postCode: (person: Person, json: object, provider?: string) => Promise<ServiceAnswer>;
  /** Consent and code: a connected person, new unless given. */
  readonly connected: (person?: Person, provider?: string) => Promise<Person>;
  /** Changes a user's credentials as time would have changed them: assignments in SQL. */
  readonly changeCredentials: (userId: string, assignments: string) => Promise<void>;
  readonly publishDomainEvent: <Type extends DomainEventType>(
    topic: string,
    type: Type,
    key: string,
    message: DomainEventMessage<Type>,
  ) => Promise<void>;
}

/** Starts a service with everything around it, for one test file. Faults end with their test. */
export function useWorld(settings: Readonly<Record<string, string>> = {}): () => World {
  const database = useDatabase(integrationsSchema);
  const broker = useBroker();
  const kafka = kafkaClient({ brokers: broker.brokers, clientId: 'test', log });
  let producer: ProducerPort;
  let issuer: TokenIssuer;
  let provider: FaultyProvider;
  let service: StartedIntegrations;
  let surroundings: Surroundings;

  beforeAll(async () => {
    await kafka.admin().ensureTopics(TOPICS, broker.prefix);
    producer = await kafka.producer();
    issuer = await startTokenIssuer(PUBLIC_URL);
    const port = await freePort();
    provider = await startFaultyProvider({ tells: `http://127.0.0.1:${port}` });
    surroundings = { database: database(), broker, issuer, providerUrl: provider.issuer };
    service = await startIntegrations(surroundings, { ...settings, HTTP_PORT: String(port) });
  }, SETUP_MS);

  beforeEach(async () => provider.straighten());

  afterAll(async () => {
    await service?.end('SIGKILL');
    await Promise.all([producer?.close(), issuer?.close(), provider?.close()]);
  }, SETUP_MS);

  const newPerson = (): Person => {
    const userId = randomUUID();
    return { userId, email: `${userId}@example.com` };
  };

  const consent: World['consent'] = async (person, name = 'mailbox', allow = true) => {
    const begun = await service.call(person.userId, 'GET', `/api/integrations/${name}/authorize`);
    if (begun.status !== 200) throw new Error(`authorize: ${JSON.stringify(begun.body)}`);
    const walk = { email: person.email, password: 'any', allow };
    const { searchParams } = await walkConsent(String(begun.body['authorization_url']), walk);
    const part = (of: string) => searchParams.get(of) ?? '';
    return { code: part('code'), state: part('state'), iss: part('iss') };
  };

  const postCode: World['postCode'] = async ({ userId }, json, name = 'mailbox') =>
    service.call(userId, 'POST', `/api/integrations/${name}/connect`, { json });

  const connected: World['connected'] = async (person = newPerson(), name = 'mailbox') => {
    const { code: auth_code } = await consent(person, name);
    const answer = await postCode(person, { auth_code }, name);
    if (answer.status !== 200) throw new Error(`connect: ${JSON.stringify(answer.body)}`);
    return person;
  };

  return () => ({
    service,
    provider,
    database: database(),
    broker,
    issuer,
    kafka,
    surroundings,
    newPerson,
    consent,
    postCode,
    connected,

    async changeCredentials(userId, assignments) {
      await database().pool.query(
        `update credentials set ${assignments} where connection_id in (
           select connection_id from connections where user_id = $1)`,
        [userId],
      );
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
      const value = encodeDomainEvent(type, message);
      await producer.sendBatch([{ topic: broker.prefix + topic, key, headers, value }]);
    },
  });
}
