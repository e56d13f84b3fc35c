import { type AuthenticateResponse, AuthServiceClient } from '@junction/contracts';
import { bearer, grpcClient } from '@junction/testing/grpc';

/** A service that asks auth whose API key it was shown. */
export interface Authenticator {
  readonly authenticate: (apiKey: string, token: string) => Promise<AuthenticateResponse>;
  readonly close: () => void;
}

export function authenticator(address: string): Authenticator {
  const client = grpcClient(AuthServiceClient, address);
  return {
    authenticate: async (apiKey, token) =>
      new Promise((resolve, reject) => {
        client.authenticate({ apiKey }, bearer(token), (error, response) =>
          error ? reject(error) : resolve(response),
        );
      }),
    close: () => client.close(),
  };
}
