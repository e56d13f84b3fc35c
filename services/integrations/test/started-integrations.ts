import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import {
  type GetAccessTokenResponse,
  IntegrationsServiceClient,
  type ListConnectionsResponse,
  OpsServiceClient,
  type ReportUnauthorizedRequest,
  type ReportUnauthorizedResponse,
  type RotateKeysResponse,
} from '@junction/contracts';
import {
  freePort,
  startService,
  type TestBroker,
  type TestDatabase,
  type TokenIssuer,
} from '@junction/testing';
import { CLIENT_SECRET, PUBLIC_URL } from './faulty-provider.js';

const MAIN = path.resolve(import.meta.dirname, '../dist/src/main.js');
export const PROVIDERS_FILE = path.resolve(
  import.meta.dirname,
  '../../../infra/providers.development.yaml',
);
const CALL_DEADLINE_MS = 25_000;
/** One for the test file: replicas on one database have one key ring. */
export const VAULT_KEYS = `k1:${randomBytes(32).toString('base64url')}`;

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

export interface TokenRequest {
  readonly userId: string;
  readonly provider?: string;
  readonly scopes?: string[];
  readonly minLifetimeS?: number;
  /** In place of a good one. */
  readonly serviceToken?: string;
}

/** The service as a process of its own, built and started as in production. */
export interface StartedIntegrations {
  readonly url: string;
  /** Everything it ever wrote to its standard output and error. */
  readonly logs: () => string;
  /** A user's request; `undefined` is nobody's. */
  readonly call: (
    userId: string | undefined,
    method: string,
    path: string,
    options?: CallOptions,
  ) => Promise<Answer>;
  /** GetAccessToken; rejects with the gRPC error. */
  readonly vend: (wish: TokenRequest) => Promise<GetAccessTokenResponse>;
  /** RotateKeys, as an operator; throws when the service goes away in the middle. */
  readonly rotateKeys: () => AsyncIterable<RotateKeysResponse>;
  readonly report: (
    token: ReportUnauthorizedRequest,
    serviceToken?: string,
  ) => Promise<ReportUnauthorizedResponse>;
  readonly listConnections: (
    userId: string,
    serviceToken?: string,
  ) => Promise<ListConnectionsResponse>;
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
  /** For signals that do not end it. */
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly startAgain: () => Promise<void>;
}

export interface Surroundings {
  readonly database: TestDatabase;
  readonly broker: TestBroker;
  readonly issuer: TokenIssuer;
  readonly providerUrl: string;
}

/** Migrates and starts. A second one with the same surroundings is a replica. */
export async function startIntegrations(
  surroundings: Surroundings,
  overrides: Readonly<Record<string, string>> = {},
): Promise<StartedIntegrations> {
  const { HTTP_PORT: httpPort = String(await freePort()) } = overrides;
  const grpcPort = await freePort();
  const url = `http://127.0.0.1:${httpPort}`;
  const env = {
    ...environment(surroundings),
    HTTP_PORT: httpPort,
    GRPC_PORT: String(grpcPort),
    ...overrides,
  };
  const { issuer } = surroundings;

  const service = await startService({ main: MAIN, env, readyUrl: `${url}/internal/health/ready` });
  const door = [`127.0.0.1:${grpcPort}`, credentials.createInsecure()] as const;
  const connect = () => ({
    client: new IntegrationsServiceClient(...door),
    operator: new OpsServiceClient(...door),
  });
  let clients = connect();

  return {
    url,
    logs: service.logs,
    async startAgain() {
      clients = connect();
      await service.startAgain();
    },
    signal: service.signal,
    call: httpCaller(url, issuer),
    rotateKeys: () =>
      clients.operator.rotateKeys({}, bearer(issuer.serviceToken('integrations', 'ops:write'))),
    vend: async ({ serviceToken = workersToken(issuer), ...wish }) =>
      callAs<GetAccessTokenResponse>(serviceToken, (...how) =>
        clients.client.getAccessToken({ ...EVERY_TOKEN, ...wish }, ...how),
      ),
    report: async (token, serviceToken = workersToken(issuer)) =>
      callAs(serviceToken, (...how) => clients.client.reportUnauthorized(token, ...how)),
    listConnections: async (userId, serviceToken = workersToken(issuer)) =>
      callAs(serviceToken, (...how) => clients.client.listConnections({ userId }, ...how)),
    async end(signal) {
      const code = await service.end(signal);
      clients.client.close();
      clients.operator.close();
      return code;
    },
  };
}

const environment = ({ database, broker, issuer, providerUrl }: Surroundings) => ({
  PATH: process.env['PATH'],
  JUNCTION_ENV: 'development',
  ALLOW_HTTP_PUBLIC_URL: 'true',
  ALLOW_HTTP_ISSUER: 'true',
  GRPC_PLAINTEXT: 'true',
  KAFKA_PLAINTEXT: 'true',
  PUBLIC_URL,
  KAFKA_BROKERS: broker.brokers.join(','),
  KAFKA_TOPIC_PREFIX: broker.prefix,
  INTEGRATIONS_DATABASE_URL: database.url,
  VAULT_KEYS,
  PROVIDERS_FILE,
  DEV_PROVIDER_ISSUER: providerUrl,
  MAILBOX_CLIENT_SECRET: CLIENT_SECRET,
  CALENDAR_CLIENT_SECRET: CLIENT_SECRET,
  AUTH_JWKS_URL: issuer.jwksUrl,
  // Nobody listens there: access tokens are checked without asking auth.
  AUTH_TOKEN_URL: 'http://127.0.0.1:9/oauth/token',
  AUTH_GRPC_ADDRESS: issuer.grpcAddress,
  SERVICE_CLIENT_ID: 'cli_integrations',
  SERVICE_CLIENT_SECRET: randomBytes(16).toString('hex'),
});

const httpCaller =
  (url: string, issuer: TokenIssuer): StartedIntegrations['call'] =>
  async (userId, method, path, { text, json, headers = {} } = {}) => {
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
  };

const EVERY_TOKEN = { provider: 'mailbox', scopes: [], minLifetimeS: 0 };

const workersToken = (issuer: TokenIssuer): string =>
  issuer.serviceToken('integrations', 'tokens:read connections:read');

type Answered<Response> = (error: ServiceError | null, response: Response) => void;

/** A gRPC call as a promise; rejects with the gRPC error. */
const callAs = async <Response>(
  serviceToken: string,
  call: (
    metadata: Metadata,
    options: { readonly deadline: number },
    answered: Answered<Response>,
  ) => unknown,
): Promise<Response> => {
  const metadata = bearer(serviceToken);
  return new Promise((resolve, reject) => {
    call(metadata, { deadline: Date.now() + CALL_DEADLINE_MS }, (error, response) =>
      error ? reject(error) : resolve(response),
    );
  });
};

function bearer(token: string): Metadata {
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  return metadata;
}

/** What a refused call is recognised by. */
export const refusalOf = async (
  call: Promise<unknown>,
): Promise<{ code: number; reason: string }> =>
  call.then(
    () => {
      throw new Error('It was not refused.');
    },
    (error: ServiceError) => ({
      code: error.code,
      reason: String(error.metadata?.get('error-code')[0]),
    }),
  );
