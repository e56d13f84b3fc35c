import { X509Certificate } from 'node:crypto';
import { Kafka, logLevel, type SASLOptions } from 'kafkajs';
import socketFactory from 'kafkajs/src/network/socketFactory.js';
import { kafkaAdmin } from './admin.js';
import { logRefusals } from './authorization-patch.js';
import { hostOf, withoutColons } from './broker-address.js';
import { clusterProbe } from './cluster-probe.js';
import { runConsumer } from './consumer.js';
import { decodeFetches } from './decode-patch.js';
import { writeNumbersInPlace } from './encoder-patch.js';
import { quietFetches } from './fetch-patch.js';
import { fetchInSessions } from './fetch-sessions.js';
import type { KafkaPort } from './kafka-port.js';
import type { Log } from './log.js';
import { logCreator } from './log-filter.js';
import { supervisedProducer } from './producer.js';
import { quietRequestQueue } from './request-queue-patch.js';

const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 10_000;

/** Retries of some 2.5 s in all: after that the caller decides, with its own backoff. */
const RETRY = {
  retries: 5,
  initialRetryTime: 100,
  factor: 0.2,
  multiplier: 2,
  maxRetryTime: 1_000,
};

export interface KafkaOptions {
  /** Addresses as `host:port`, with an IPv6 address in brackets: `[::1]:9092`. */
  readonly brokers: readonly string[];
  /** Names this process in the broker's logs. */
  readonly clientId: string;
  /** `true` trusts the system's authorities and shows no certificate. Absent: plaintext. */
  readonly ssl?: true | TlsOptions;
  readonly sasl?: PasswordLogin | TokenLogin;
  readonly log: Log;
}

/** Authorities, certificate and key as PEM. */
export interface TlsOptions {
  /** Authorities to trust instead of the system's. */
  readonly ca?: string | undefined;
  /** The certificate that this client shows, for brokers that want one, and its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface PasswordLogin {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

/** Login with an OAuth token (RFC 7628). */
export interface TokenLogin {
  readonly mechanism: 'oauthbearer';
  /**
   * Returns an access token that the broker accepts. Called for each connection, and when the broker requires a new
   * token.
   */
  readonly token: () => Promise<string>;
}

const connectTo = socketFactory();

/**
 * The port on kafkajs 2.2.4. Nothing outside this folder imports that package: it has no
 * maintainer, and kafka-port.int.test.ts says what a successor must do.
 */
export function kafkaClient({ brokers, clientId, ssl, sasl, log }: KafkaOptions): KafkaPort {
  quietRequestQueue();
  quietFetches();
  decodeFetches();
  fetchInSessions();
  writeNumbersInPlace();
  logRefusals();

  // Each admin, producer and consumer gets an instance: an instance shares its cache of group offsets.
  const connect = (): Kafka =>
    new Kafka({
      brokers: brokers.map(withoutColons),
      socketFactory: (to) => connectTo({ ...to, host: hostOf(to.host) }),
      clientId,
      // Settings are passed on as they are: kafkajs reads them for each connection, and they may have changed by then.
      ...(ssl === undefined ? {} : { ssl }),
      ...(sasl === undefined ? {} : { sasl: saslOptions(sasl) }),
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      retry: RETRY,
      logLevel: logLevel.WARN,
      logCreator: logCreator(log, principalOf(ssl, sasl)),
    });

  return {
    admin: () => kafkaAdmin(connect),
    producer: () => supervisedProducer(connect, log),
    runConsumer: (options) => runConsumer(connect, RETRY, options, log),
    probe: (topic) => clusterProbe(connect, topic),
  };
}

const saslOptions = (sasl: PasswordLogin | TokenLogin): SASLOptions =>
  sasl.mechanism === 'oauthbearer'
    ? { mechanism: 'oauthbearer', oauthBearerProvider: async () => ({ value: await sasl.token() }) }
    : sasl;

/** Returns the principal that Kafka sees for this client, unless Kafka's mapping rules say otherwise. */
function principalOf(ssl: KafkaOptions['ssl'], sasl: KafkaOptions['sasl']): string {
  if (sasl?.mechanism === 'oauthbearer') return 'the subject of its token';
  if (sasl) return `User:${sasl.username}`;
  if (typeof ssl !== 'object' || ssl.cert === undefined) return 'User:ANONYMOUS';
  // RFC 2253 begins with the most specific part, Node ends with it.
  return `User:${new X509Certificate(ssl.cert).subject.split('\n').toReversed().join(',')}`;
}
