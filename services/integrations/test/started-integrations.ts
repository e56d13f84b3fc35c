import path from 'node:path';
import { credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import {
  type GetAccessTokenResponse,
  IntegrationsServiceClient,
  type ListConnectionsResponse,
  type ReportUnauthorizedRequest,
  type ReportUnauthorizedResponse,
} from '@junction/contracts';
import { startTestService, type TestService, type TokenIssuer } from '@junction/testing';
import type { Surroundings as Usual } from '@junction/testing/stage';
import { CLIENT_SECRET } from './faulty-provider.js';

const MAIN = path.resolve(import.meta.dirname, '../dist/src/main.js');
const PROVIDERS_FILE = path.resolve(
  import.meta.dirname,
  '../../../infra/providers.development.yaml',
);
const CALL_DEADLINE_MS = 25_000;
/** Port 1 is refused at once. */
const NOBODY = 'http://localhost:1';

export interface TokenRequest {
  readonly userId: string;
  readonly provider?: string;
  readonly integrationId?: string;
  readonly scopes?: string[];
  readonly minLifetimeS?: number;
  /** Token to send instead of a good one. */
  readonly serviceToken?: string;
}

/** The service as a process of its own, and its gRPC methods. */
export interface StartedIntegrations extends TestService {
  /** GetAccessToken; rejects with the gRPC error. */
  readonly vend: (request: TokenRequest) => Promise<GetAccessTokenResponse>;
  readonly report: (
    token: Omit<ReportUnauthorizedRequest, 'integrationId'> & { readonly integrationId?: string },
    serviceToken?: string,
  ) => Promise<ReportUnauthorizedResponse>;
  readonly listConnections: (
    userId: string,
    serviceToken?: string,
  ) => Promise<ListConnectionsResponse>;
}

export interface Surroundings extends Usual {
  readonly providerUrl: string;
  /** URL of the provider globex. Absent: nothing answers there. */
  readonly otherProviderUrl?: string;
}

/** Starts the service as a process of its own. A second service with the same surroundings is a replica. */
export async function startIntegrations(
  surroundings: Surroundings,
  overrides: Readonly<Record<string, string>> = {},
): Promise<StartedIntegrations> {
  const { issuer, database, broker } = surroundings;
  const service = await startTestService({
    main: MAIN,
    databaseVariable: 'INTEGRATIONS_DATABASE_URL',
    database,
    broker,
    issuer,
    env: { ...environment(surroundings), ...overrides },
  });
  const server = [service.grpcAddress, credentials.createInsecure()] as const;
  let client = new IntegrationsServiceClient(...server);

  return {
    ...service,
    async startAgain() {
      client = new IntegrationsServiceClient(...server);
      await service.startAgain();
    },
    vend: async ({ serviceToken = workersToken(issuer), ...request }) =>
      callAs<GetAccessTokenResponse>(serviceToken, (...how) =>
        client.getAccessToken({ ...EVERY_TOKEN, ...request }, ...how),
      ),
    report: async (token, serviceToken = workersToken(issuer)) =>
      callAs(serviceToken, (...how) => client.reportUnauthorized({ ...PRIMARY, ...token }, ...how)),
    listConnections: async (userId, serviceToken = workersToken(issuer)) =>
      callAs(serviceToken, (...how) => client.listConnections({ userId }, ...how)),
    async end(signal) {
      const code = await service.end(signal);
      client.close();
      return code;
    },
  };
}

const environment = ({ providerUrl, otherProviderUrl }: Surroundings) => ({
  PROVIDERS_FILE,
  ACME_ISSUER: providerUrl,
  ACME_MAILBOX_CLIENT_SECRET: CLIENT_SECRET,
  ACME_CALENDAR_CLIENT_SECRET: CLIENT_SECRET,
  GLOBEX_ISSUER: otherProviderUrl ?? NOBODY,
  GLOBEX_MAILBOX_CLIENT_SECRET: CLIENT_SECRET,
  GLOBEX_CALENDAR_CLIENT_SECRET: CLIENT_SECRET,
});

const EVERY_TOKEN = { provider: 'mailbox', integrationId: '', scopes: [], minLifetimeS: 0 };
const PRIMARY = { integrationId: '' };

const workersToken = (issuer: TokenIssuer): string =>
  issuer.serviceToken('integrations', 'tokens:read connections:read');

type Answered<Response> = (error: ServiceError | null, response: Response) => void;

/** Makes a gRPC call as a promise, which rejects with the gRPC error. */
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

/** Returns the code and the reason by which a refused call is recognised. */
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
