import { credentials, Metadata } from '@grpc/grpc-js';
import { createClient } from '@junction/client';
import {
  type GetAccessTokenRequest,
  type GetAccessTokenResponse,
  IntegrationsServiceClient,
  type ServiceName,
} from '@junction/contracts';
import type { Endpoints } from './endpoints.js';

const DEADLINE_MS = 15_000;

export type Account = 'producer' | 'worker' | 'operator';

/** Returns a token for one service, by client_credentials (RFC 6749, section 4.4), with all scopes or with `scope`. */
export async function serviceToken(
  endpoints: Endpoints,
  account: Account,
  audience: ServiceName,
  scope?: string,
): Promise<string> {
  const client = createClient({ baseUrl: endpoints.gateway });
  const { access_token: token } = await client.post('/oauth/token', {
    body: {
      grant_type: 'client_credentials',
      ...endpoints[account],
      audience,
      ...(scope !== undefined && { scope }),
    },
  });
  return token;
}

export type Vend = (
  request: Partial<GetAccessTokenRequest> & { userId: string; provider: string },
) => Promise<GetAccessTokenResponse>;

/** An internal worker: asks integrations for the access tokens it works with. */
export async function worker(
  endpoints: Endpoints,
): Promise<{ readonly vend: Vend; close(): void }> {
  const client = new IntegrationsServiceClient(
    endpoints.grpc.integrations,
    credentials.createInsecure(),
  );
  const metadata = new Metadata();
  metadata.set(
    'authorization',
    `Bearer ${await serviceToken(endpoints, 'worker', 'integrations')}`,
  );

  return {
    vend: (request) =>
      new Promise((resolve, reject) => {
        const deadline = { deadline: Date.now() + DEADLINE_MS };
        const whole = { integrationId: '', scopes: [], minLifetimeS: 0, ...request };
        client.getAccessToken(whole, metadata, deadline, (error, response) =>
          error === null ? resolve(response) : reject(error),
        );
      }),
    close: () => client.close(),
  };
}
