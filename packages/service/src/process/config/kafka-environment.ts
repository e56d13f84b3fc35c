import { z } from 'zod';
import { httpUrl, kafkaBrokers } from './variables.js';

/** The variables by which a service reaches Kafka. */
export const kafkaEnvironment = {
  KAFKA_BROKERS: kafkaBrokers.describe(
    '`host:port` of brokers to begin with, comma-separated; an IPv6 address in brackets, `[::1]:9092`',
  ),
  KAFKA_TOPIC_PREFIX: z
    .string()
    .max(64)
    .default('')
    .describe(
      'stands before the names of topics and groups, on a cluster that others use too; 64 characters at most',
    ),
  KAFKA_SSL_CA_FILE: z
    .string()
    .optional()
    .describe(
      "PEM of the authorities that sign the brokers; absent: the system's. Each new connection trusts those in it",
    ),
  KAFKA_SSL_CERT_FILE: z
    .string()
    .optional()
    .describe(
      'PEM of the certificate that brokers are shown, where they want one (mutual TLS); each new connection shows that in it. Rights are those of its subject, unless there is a login too',
    ),
  KAFKA_SSL_KEY_FILE: z.string().optional().describe('PEM of its key; the two go together'),
  KAFKA_SASL_MECHANISM: z
    .enum(['plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'])
    .optional()
    .describe(
      '`plain`, `scram-sha-256`, `scram-sha-512` or `oauthbearer`; needs KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD',
    ),
  KAFKA_SASL_USERNAME: z
    .string()
    .optional()
    .describe(
      'user of Kafka; what it must be allowed stands below. With `oauthbearer` the id of a client at KAFKA_SASL_TOKEN_URL',
    ),
  KAFKA_SASL_PASSWORD: z
    .string()
    .optional()
    .describe('password of the user; with `oauthbearer` the secret of the client'),
  KAFKA_SASL_PASSWORD_FILE: z
    .string()
    .optional()
    .describe('file that holds it, in its place; each new connection has the password in it'),
  KAFKA_SASL_TOKEN_URL: httpUrl
    .optional()
    .describe(
      'token endpoint that gives the client its tokens for `oauthbearer` (RFC 6749, section 4.4), which needs it',
    ),
  KAFKA_SASL_SCOPE: z
    .string()
    .optional()
    .describe('`scope` to ask the token endpoint for, space-separated'),
  KAFKA_SASL_AUDIENCE: z
    .string()
    .optional()
    .describe('`audience` to ask the token endpoint for, where it wants one'),
};

const kafka = z.object(kafkaEnvironment);
type KafkaVariables = z.infer<typeof kafka>;

/** Returns Kafka's variables under the names and shapes that the code uses. */
export const kafkaConfig = (env: KafkaVariables) => ({
  brokers: env.KAFKA_BROKERS,
  topicPrefix: env.KAFKA_TOPIC_PREFIX,
  caFile: env.KAFKA_SSL_CA_FILE,
  certFile: env.KAFKA_SSL_CERT_FILE,
  keyFile: env.KAFKA_SSL_KEY_FILE,
  sasl: sasl(env),
  /** File that the password came from, to be read again. */
  saslPasswordFile: env.KAFKA_SASL_PASSWORD_FILE,
});

function sasl(env: KafkaVariables) {
  const {
    KAFKA_SASL_MECHANISM: mechanism,
    KAFKA_SASL_USERNAME: username,
    KAFKA_SASL_PASSWORD: password,
    KAFKA_SASL_TOKEN_URL: tokenUrl,
    KAFKA_SASL_SCOPE: scope,
    KAFKA_SASL_AUDIENCE: audience,
  } = env;
  if (mechanism === undefined || username === undefined || password === undefined) return undefined;
  if (mechanism !== 'oauthbearer') return { mechanism, username, password };
  if (tokenUrl === undefined) return undefined;
  return { mechanism, username, password, tokenUrl, scope, audience };
}
