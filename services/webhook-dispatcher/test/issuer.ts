import { startTokenIssuer, type TokenIssuer } from '@junction/testing';

export const PUBLIC_URL = 'http://localhost:8080';

/** An issuer whose service tokens let a producer publish, unless a test wants other ones. */
export interface Issuer extends Omit<TokenIssuer, 'serviceToken'> {
  serviceToken(options?: { readonly audience?: string; readonly scope?: string }): string;
}

export async function startIssuer(): Promise<Issuer> {
  const issuer = await startTokenIssuer(PUBLIC_URL);
  return {
    ...issuer,
    serviceToken: ({ audience = 'webhook-dispatcher', scope = 'events:publish' } = {}) =>
      issuer.serviceToken(audience, scope),
  };
}
