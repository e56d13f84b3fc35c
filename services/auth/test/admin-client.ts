import { credentials, Metadata } from '@grpc/grpc-js';
import { AuthAdminServiceClient } from '@junction/contracts';
import type { Ask } from './http-client.js';
import type { StartedAuth } from './started-auth.js';

/** AuthAdminService, and the token of a service account that may change things. */
export interface AdminClient {
  readonly client: AuthAdminServiceClient;
  readonly metadata: Metadata;
}

/** Closed after `use`. */
export async function asAdmin<T>(
  { worker: { id, secret }, grpcAddress }: StartedAuth,
  ask: Ask,
  use: (admin: AdminClient) => Promise<T>,
): Promise<T> {
  const { body } = await ask('POST', '/oauth/token', {
    raw: 'grant_type=client_credentials&audience=auth&scope=ops:write',
    headers: {
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
  });
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${(body as { access_token: string }).access_token}`);
  const client = new AuthAdminServiceClient(grpcAddress, credentials.createInsecure());
  return use({ client, metadata }).finally(() => client.close());
}
