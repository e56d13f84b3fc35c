import { Kafka, logLevel, type SASLOptions } from 'kafkajs';
import { kafkaAdmin } from './admin.js';
import { logRefusals } from './authorization-patch.js';
import { runConsumer } from './consumer.js';
import { decodeFetches } from './decode-patch.js';
import { writeNumbersInPlace } from './encoder-patch.js';
import { quietFetches } from './fetch-patch.js';
import type { KafkaPort } from './kafka-port.js';
import type { Log } from './log.js';
import { logCreator } from './log-filter.js';
import { supervisedProducer } from './producer.js';
import { quietRequestQueue } from './request-queue-patch.js';

const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 10_000;

/** Some 2.5 s in all: after that the caller decides, with its own backoff. */
const RETRY = {
  retries: 5,
  initialRetryTime: 100,
  factor: 0.2,
  multiplier: 2,
  maxRetryTime: 1_000,
};

export interface KafkaOptions {
  /** `host:port` of each. */
  readonly brokers: readonly string[];
  /** Names this process in the broker's logs. */
  readonly clientId: string;
  /** `true` trusts the system's authorities, `ca` these instead (PEM). Absent: plaintext. */
  readonly ssl?: true | { readonly ca: string };
  readonly sasl?: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  };
  readonly log: Log;
}

/**
 * The port on kafkajs 2.2.4. Nothing outside this folder imports that package: it has no
 * maintainer, and kafka-port.int.test.ts says what a successor must do.
 */
export function kafkaClient({ brokers, clientId, ssl, sasl, log }: KafkaOptions): KafkaPort {
  quietRequestQueue();
  quietFetches();
  decodeFetches();
  writeNumbersInPlace();
  logRefusals();

  // One for each user: an instance shares its cache of group offsets among all its consumers.
  const connect = (): Kafka =>
    new Kafka({
      brokers: [...brokers],
      clientId,
      // As they are: kafkajs reads them for each connection, and they may have changed by then.
      ...(ssl === undefined ? {} : { ssl }),
      ...(sasl === undefined ? {} : { sasl: sasl as SASLOptions }),
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      retry: RETRY,
      logLevel: logLevel.WARN,
      logCreator: logCreator(log, `User:${sasl?.username ?? 'ANONYMOUS'}`),
    });

  return {
    admin: () => kafkaAdmin(connect),
    producer: () => supervisedProducer(connect, log),
    runConsumer: (options) => runConsumer(connect, RETRY, options, log),
  };
}
