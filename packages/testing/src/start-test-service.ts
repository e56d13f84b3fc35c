import { randomBytes } from 'node:crypto';
import { freePort } from '@junction/local-stack/process';
import { apiAt, type CallOptions } from './api-at.js';
import { type StartedService, startService } from './start-service.js';
import type { TokenIssuer } from './token-issuer.js';
import type { TestBroker } from './use-broker.js';
import type { TestDatabase } from './use-database.js';

/** Key ring for the whole test file, because replicas on one database need the same keys. */
export const VAULT_KEYS = `k1:${randomBytes(32).toString('base64url')}`;

/** Address of the product for everybody outside, in tests: it is in tokens and links, and nothing answers there. */
export const PUBLIC_URL = 'http://localhost:8080';

type Issuer = Pick<TokenIssuer, 'jwksUrl' | 'grpcAddress' | 'userToken'>;

export interface TestServiceOptions {
  /** Absolute path of the built main. */
  readonly main: string;
  /** The variable that names the service's database. */
  readonly databaseVariable: string;
  readonly database: TestDatabase;
  readonly broker: TestBroker;
  /** Whether the database is empty, so that the service's own command migrates it first. */
  readonly migrates?: boolean;
  /** Signs the tokens of users in place of auth. Absent for auth itself. */
  readonly issuer?: Issuer;
  /** Settings beyond those that every service needs; they replace the ones with the same name. */
  readonly env: Readonly<Record<string, string>>;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** A service as a process of its own, built and started as in production. */
export interface TestService extends StartedService {
  readonly url: string;
  readonly grpcAddress: string;
  /** A user's request; `undefined` is nobody's. */
  readonly call: (
    userId: string | undefined,
    method: string,
    path: string,
    options?: Omit<CallOptions, 'token'>,
  ) => Promise<ServiceAnswer>;
}

/**
 * Starts a service on the database and the broker of a test. A second one with the same options is
 * a replica.
 */
export async function startTestService(options: TestServiceOptions): Promise<TestService> {
  const { main, databaseVariable, database, broker, migrates, issuer, env } = options;
  const { HTTP_PORT: httpPort = String(await freePort()) } = env;
  const grpcPort = await freePort();
  const url = `http://127.0.0.1:${httpPort}`;
  const service = await startService({
    main,
    migrates,
    readyUrl: `${url}/internal/health/ready`,
    env: {
      PATH: process.env['PATH'],
      JUNCTION_ENV: 'development',
      PUBLIC_URL,
      HTTP_PORT: httpPort,
      GRPC_PORT: String(grpcPort),
      KAFKA_BROKERS: broker.brokers.join(','),
      KAFKA_TOPIC_PREFIX: broker.prefix,
      [databaseVariable]: database.url,
      VAULT_KEYS,
      ...(issuer && authBy(issuer)),
      ...env,
    },
  });
  return { ...service, url, grpcAddress: `127.0.0.1:${grpcPort}`, call: caller(url, issuer) };
}

const authBy = ({ jwksUrl, grpcAddress }: Issuer) => ({
  AUTH_JWKS_URL: jwksUrl,
  // This address has no server: access tokens are checked without a request to auth.
  AUTH_TOKEN_URL: 'http://127.0.0.1:9/oauth/token',
  AUTH_GRPC_ADDRESS: grpcAddress,
  SERVICE_CLIENT_ID: 'cli_service',
  SERVICE_CLIENT_SECRET: randomBytes(16).toString('hex'),
});

const caller =
  (url: string, issuer: Issuer | undefined): TestService['call'] =>
  async (userId, method, path, options) => {
    const token = userId === undefined ? undefined : issuer?.userToken(userId);
    const { body = {}, ...answer } = await apiAt(url)(method, path, { token, ...options });
    return { ...answer, body: body as Record<string, unknown> };
  };
