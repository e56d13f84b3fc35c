// The topics job: creates the topics that are missing, before any service reads or writes them. It waits for Kafka as
// long as the services do.
import { retry } from '@junction/async';
import { connectKafka, type KafkaSettings, TOPICS } from '@junction/kafka';
import { z } from 'zod';

const TRY_EVERY_MS = 1_000;
/** Number of failures for each of which one is said: one in ten seconds. */
const SAY_EVERY = 10;

const environment = z.object({
  JUNCTION_ENV: z.string().default('production'),
  KAFKA_BROKERS: z.string().min(1),
  KAFKA_TOPIC_PREFIX: z.string().default(''),
  KAFKA_SSL_CA_FILE: z.string().optional(),
  KAFKA_SSL_CERT_FILE: z.string().optional(),
  KAFKA_SSL_KEY_FILE: z.string().optional(),
  KAFKA_SASL_MECHANISM: z
    .enum(['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'])
    .optional(),
  KAFKA_SASL_USERNAME: z.string().default(''),
  KAFKA_SASL_PASSWORD: z.string().default(''),
  KAFKA_SASL_PASSWORD_FILE: z.string().optional(),
  KAFKA_SASL_TOKEN_URL: z.string().default(''),
  KAFKA_SASL_SCOPE: z.string().optional(),
  KAFKA_SASL_AUDIENCE: z.string().optional(),
});

const log = { debug() {}, info() {}, warn: console.warn, error: console.error };

async function main(): Promise<void> {
  const env = environment.parse(process.env);
  const settings = {
    brokers: env.KAFKA_BROKERS.split(',').map((broker) => broker.trim()),
    plaintext:
      env.JUNCTION_ENV === 'development' && !env.KAFKA_SSL_CA_FILE && !env.KAFKA_SSL_CERT_FILE,
    caFile: env.KAFKA_SSL_CA_FILE,
    certFile: env.KAFKA_SSL_CERT_FILE,
    keyFile: env.KAFKA_SSL_KEY_FILE,
    sasl: login(env),
    saslPasswordFile: env.KAFKA_SASL_PASSWORD_FILE,
  };
  const kafka = await connectKafka(settings, 'topics', log);

  const created = await retry(() => kafka.admin().ensureTopics(TOPICS, env.KAFKA_TOPIC_PREFIX), {
    delayMs: () => TRY_EVERY_MS,
    onFailure(error, failures) {
      if (failures % SAY_EVERY === 1) console.error(waiting(env.KAFKA_BROKERS, error));
    },
  });
  console.log(created.length === 0 ? 'Every topic is there.' : `Created ${created.join(', ')}.`);
}

function login(env: z.infer<typeof environment>): KafkaSettings['sasl'] {
  const mechanism = env.KAFKA_SASL_MECHANISM;
  if (mechanism === undefined) return undefined;
  const credentials = { username: env.KAFKA_SASL_USERNAME, password: env.KAFKA_SASL_PASSWORD };
  if (mechanism !== 'oauthbearer') return { mechanism, ...credentials };
  const { KAFKA_SASL_TOKEN_URL: tokenUrl, KAFKA_SASL_SCOPE: scope } = env;
  return { mechanism, ...credentials, tokenUrl, scope, audience: env.KAFKA_SASL_AUDIENCE };
}

const waiting = (brokers: string, error: unknown): string =>
  `Waiting: the topics cannot be made at KAFKA_BROKERS (${brokers}): ${String(explained(error))}`;

function explained(error: unknown): unknown {
  if (error instanceof z.ZodError) return z.prettifyError(error);
  const cause = error instanceof Error ? error.cause : undefined;
  // kafkajs repeats the message of the cause.
  return cause instanceof Error ? cause.message : error;
}

main().catch((error: unknown) => {
  console.error(explained(error));
  process.exitCode = 1;
});
