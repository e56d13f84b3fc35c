import type { GetAccessTokenResponse } from '@junction/contracts';
import { integrationsCalls, type TokenRequest, type TokensOptions } from './integrations-calls.js';

/** An access token of an account, with when it ends, what it may do, and its version. */
export type Token = GetAccessTokenResponse;

export interface Tokens {
  /**
   * Returns a token that works. Ask each time and keep nothing: the token of a user who has disconnected must not live
   * on. Rejects with TokenRefusedError when there is none until somebody acts, otherwise with the error of the last
   * try: a ServiceError of @grpc/grpc-js, or what the token endpoint said.
   */
  get(request: TokenRequest): Promise<Token>;
  /**
   * Works with a token. When the provider answers 401 (the work returns or throws something whose `status` is that,
   * such as a Response), the token is reported, and the work done once more with the next one. The first outcome
   * stands when the provider calls the token good. Rejects as `get` does, and with what the work throws.
   */
  withToken<T>(request: TokenRequest, work: (token: Token) => Promise<T>): Promise<T>;
  /** Disconnects, once the calls that are under way have ended. */
  close(): void;
}

const UNAUTHORIZED = 401;
const TOKENS_ARE_GIVEN = ['active', 'degraded'];

/** Asks integrations for the access tokens of connected accounts, as a service of your own. */
export function tokens(options: TokensOptions): Tokens {
  const { ask, report, close } = integrationsCalls(options);
  /** Calls under way, so that many who ask for the same token at a time are one call. */
  const asking = new Map<string, Promise<Token>>();
  const get = async (request: TokenRequest): Promise<Token> => {
    const { userId, provider, integrationId, scopes, minLifetimeS } = request;
    const key = JSON.stringify([userId, provider, integrationId, scopes, minLifetimeS]);
    const asked = asking.get(key) ?? ask(request).finally(() => asking.delete(key));
    asking.set(key, asked);
    return asked;
  };

  return {
    get,
    async withToken(request, work) {
      const token = await get(request);
      const { integrationId, credentialVersion } = token;
      const first = (async () => work(token))();
      const outcome: unknown = await first.catch((error: unknown) => error);
      if (statusOf(outcome) !== UNAUTHORIZED) return first;

      const now = await report({ ...request, integrationId, credentialVersion });
      const isGood = now.credentialVersion === credentialVersion;
      if (isGood && TOKENS_ARE_GIVEN.includes(now.status)) return first;
      await (outcome as Partial<Response>).body?.cancel();
      // A call that is under way may have begun before the report, so this one is shared with nobody.
      return work(await ask({ ...request, integrationId }));
    },
    close,
  };
}

/** Returns the status of HTTP in what a client of HTTP returned or threw: fetch, axios, or a provider's own. */
function statusOf(outcome: unknown): unknown {
  const { status, statusCode, response } = (outcome ?? {}) as Record<string, unknown>;
  return status ?? statusCode ?? (response as Partial<Response> | undefined)?.status;
}
