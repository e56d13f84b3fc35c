import { keysByAddress } from '../adapters/provider/keys-by-address.js';
import { oauthProvider } from '../adapters/provider/oauth-provider.js';
import { providerGuards } from '../adapters/provider/provider-breaker.js';
import { readProviders } from '../adapters/provider/read-providers.js';
import type { OAuthProvider } from '../application/oauth-provider.js';
import { type ClientName, clientName } from '../domain/connection/events.js';
import type { IntegrationsPlatform } from './platform.js';

/** Opens the clients of PROVIDERS_FILE. */
export async function openProviders({ config, closing, log, fetch }: IntegrationsPlatform) {
  const identityProviders = await readProviders(config.providers);
  const keysAt = keysByAddress({ log, fetch });
  const providers = new Map<ClientName, OAuthProvider>();
  for (const { id, clients } of identityProviders) {
    for (const [provider, settings] of clients) {
      const client = { identityProvider: id, provider };
      const name = clientName(client);
      const { stop, ...guards } = providerGuards(name);
      closing.add(`${name} breakers`, stop, (stop) => stop());
      const redirectUri = `${config.publicUrl}/connect/${id}/${provider}/callback`;
      const tools = { ...guards, nowMs: Date.now, log, fetch, keysAt };
      providers.set(name, oauthProvider({ client, settings, redirectUri, ...tools }));
    }
  }
  return {
    providers,
    identityProviders: identityProviders.map(({ clients, ...shown }) => ({
      ...shown,
      providers: [...clients.keys()],
    })),
  };
}
