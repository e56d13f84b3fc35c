import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { freePort, startService, type TestBroker, type TestDatabase } from '@junction/testing';
import { type Issuer, PUBLIC_URL } from './issuer.js';

const MAIN = path.resolve(import.meta.dirname, '../dist/src/main.js');
/** One for the test file: replicas on one database have one key ring. */
const VAULT_KEYS = `k1:${randomBytes(32).toString('base64url')}`;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export interface CallOptions {
  /** Sent as it is. */
  readonly text?: string;
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The service as a process of its own, built and started as in production. */
export interface StartedDispatcher {
  readonly url: string;
  readonly grpcAddress: string;
  /** Everything it ever wrote to its standard output and error. */
  readonly logs: () => string;
  /** A user's request; `undefined` is nobody's. */
  readonly call: (
    userId: string | undefined,
    method: string,
    path: string,
    options?: CallOptions,
  ) => Promise<Answer>;
  /** Ends it with the signal and gives its exit code, null when the signal itself was the end. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
  readonly startAgain: () => Promise<void>;
  /** For signals that do not end it. */
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly pid: () => number;
}

export interface Surroundings {
  readonly database: TestDatabase;
  readonly broker: TestBroker;
  readonly issuer: Issuer;
}

export async function startDispatcher(
  { database, broker, issuer }: Surroundings,
  overrides: Readonly<Record<string, string>> = {},
): Promise<StartedDispatcher> {
  const [httpPort, grpcPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${httpPort}`;
  const env = {
    PATH: process.env['PATH'],
    JUNCTION_ENV: 'development',
    ALLOW_HTTP_PUBLIC_URL: 'true',
    GRPC_PLAINTEXT: 'true',
    KAFKA_PLAINTEXT: 'true',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
    PUBLIC_URL,
    HTTP_PORT: String(httpPort),
    GRPC_PORT: String(grpcPort),
    KAFKA_BROKERS: broker.brokers.join(','),
    KAFKA_TOPIC_PREFIX: broker.prefix,
    WEBHOOKS_DATABASE_URL: database.url,
    VAULT_KEYS,
    AUTH_JWKS_URL: issuer.jwksUrl,
    // Nobody listens there: access tokens are checked without asking auth.
    AUTH_TOKEN_URL: 'http://127.0.0.1:9/oauth/token',
    AUTH_GRPC_ADDRESS: issuer.grpcAddress,
    SERVICE_CLIENT_ID: 'cli_dispatcher',
    SERVICE_CLIENT_SECRET: randomBytes(16).toString('hex'),
    ...overrides,
  };

  const service = await startService({ main: MAIN, env, readyUrl: `${url}/internal/health/ready` });

  return {
    url,
    grpcAddress: `127.0.0.1:${grpcPort}`,
    logs: service.logs,
    startAgain: service.startAgain,
    signal: service.signal,
    pid: service.pid,
    async call(userId, method, path, { text, json, headers = {} } = {}) {
      const token = userId === undefined ? undefined : issuer.userToken(userId);
      const body = text ?? (json === undefined ? undefined : JSON.stringify(json));
      const response = await fetch(url + path, {
        method,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      });
      const answer = await response.text();
      const parsed = (answer === '' ? {} : JSON.parse(answer)) as Record<string, unknown>;
      return { status: response.status, headers: response.headers, body: parsed };
    },
    end: service.end,
  };
}
