import { createClient } from '@junction/client';
import type { ServiceName } from '@junction/contracts';
import { type Tokens, type TokensOptions, tokens } from '@junction/worker';
import type { Endpoints } from './endpoints.js';

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

/** An internal worker: asks integrations for the access tokens it works with. */
export const worker = (
  { gateway, grpc, worker: { client_id, client_secret } }: Endpoints,
  options: Pick<TokensOptions, 'attemptsMax'> = {},
): Tokens =>
  tokens({
    address: grpc.integrations,
    tokenUrl: new URL('/oauth/token', gateway).href,
    clientId: client_id,
    clientSecret: client_secret,
    tls: false,
    ...options,
  });
