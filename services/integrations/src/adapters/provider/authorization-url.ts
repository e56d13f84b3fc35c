import * as client from 'openid-client';
import type { ConsentRequest, OAuthProvider } from '../../application/oauth-provider.js';
import { ProviderError } from '../../application/provider-error.js';
import { classifyFailure } from './classify-failure.js';
import { type ConfigurationOptions, configuration, newNotes } from './client-configuration.js';
import type { ProviderGuards } from './provider-breaker.js';
import { type Call, type Metadata, succeedWith } from './provider-call.js';
import type { CallNotes } from './recovering-fetch.js';
import { withoutEndpoint } from './server-metadata.js';

type Parameters = Readonly<Record<string, string>>;

interface AuthorizationOptions extends ConfigurationOptions, Pick<ProviderGuards, 'exchangeGuard'> {
  readonly redirectUri: string;
}

/**
 * Returns the function for URLs of the consent page. Where the settings or the provider want it, the request is pushed
 * first (RFC 9126), and its URL is good for as long as the provider keeps the request.
 */
export const authorizationUrlOf =
  (
    options: AuthorizationOptions,
    metadata: Metadata,
    call: Call,
  ): OAuthProvider['authorizationUrl'] =>
  async (request) => {
    const server = await metadata();
    const parameters = await parametersOf(request, options);
    const { settings, exchangeGuard } = options;
    if (!settings.pushesAuthorizations && server.require_pushed_authorization_requests !== true) {
      const config = await configuration(server, options, newNotes());
      return client.buildAuthorizationUrl(config, parameters).href;
    }
    if (server.pushed_authorization_request_endpoint === undefined) {
      throw withoutEndpoint('pushed_authorization_request_endpoint');
    }
    return exchangeGuard(
      async () => call(async (config, notes) => pushed(config, notes, parameters)),
      request.userId,
    );
  };

async function pushed(
  config: client.Configuration,
  notes: CallNotes,
  parameters: Parameters,
): Promise<string> {
  succeedWith(config, 201);
  const url = await client
    .buildAuthorizationUrlWithPAR(config, parameters)
    .catch((error: unknown) => refuseAsOurs(classifyFailure(error, notes)));
  return url.href;
}

/** Throws a refusal of a pushed request as one of our client: nothing in the request is a user's. */
function refuseAsOurs(error: ProviderError): never {
  const { failure, reason, sent, httpStatus, retryAfterMs } = error;
  if (failure === 'unavailable') throw error;
  throw new ProviderError({ failure: 'misconfigured', reason, sent, httpStatus, retryAfterMs });
}

async function parametersOf(
  { state, nonce, verifier }: ConsentRequest,
  { settings, redirectUri }: AuthorizationOptions,
): Promise<Parameters> {
  const { authorizationParams, extraScopes, scopes } = settings;
  return {
    ...authorizationParams,
    redirect_uri: redirectUri,
    scope: [...extraScopes, ...Object.values(scopes)].join(' '),
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
}
