import * as client from 'openid-client';
import type { ProviderSettings } from './provider-settings.js';
import { type CallNotes, recoveringFetch } from './recovering-fetch.js';

/** Seconds. */
export const TIMEOUT_S = 10;
/** Seconds a provider's clock may be from ours: an id_token is hardly older than the answer it comes in. */
export const CLOCK_TOLERANCE_S = 300;

export const newNotes = (): CallNotes => ({ sent: false, tokens: {} });

/** One for each call: what the call brought back is noted beside it, whatever the library makes of it. */
export function configuration(
  server: client.ServerMetadata,
  { clientId, clientSecret, issuer }: ProviderSettings,
  notes: CallNotes,
): client.Configuration {
  const methods = server.token_endpoint_auth_methods_supported;
  // RFC 8414, section 2: a provider that does not say takes Basic.
  const isPost =
    methods?.includes('client_secret_post') && !methods.includes('client_secret_basic');
  const authentication = isPost
    ? client.ClientSecretPost(clientSecret)
    : client.ClientSecretBasic(clientSecret);

  const skewed = { [client.clockTolerance]: CLOCK_TOLERANCE_S };
  const config = new client.Configuration(server, clientId, skewed, authentication);
  config.timeout = TIMEOUT_S;
  config[client.customFetch] = recoveringFetch(notes);
  if (issuer.startsWith('http:')) client.allowInsecureRequests(config);
  return config;
}
