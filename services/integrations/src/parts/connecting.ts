import {
  postgresAuthorizations,
  purgeAuthorizations,
} from '../adapters/postgres/connecting/authorizations.js';
import { oauthProvider } from '../adapters/provider/oauth-provider.js';
import { providerBreaker } from '../adapters/provider/provider-breaker.js';
import { readProviders } from '../adapters/provider/read-providers.js';
import type { OAuthProvider } from '../application/oauth-provider.js';
import { type ClientName, clientName } from '../domain/connection/events.js';
import { type IntegrationsPlatform, PURGE_EVERY_MS } from './platform.js';

/** Throws one error that names every mistake in PROVIDERS_FILE, whatever else is wrong with the environment. */
export async function checkProviders(env: NodeJS.ProcessEnv): Promise<void> {
  const { PROVIDERS_FILE: path, ALLOW_HTTP_ISSUER: allowHttp } = env;
  const variable = (name: string) => env[name];
  if (path) await readProviders({ path, variable, allowHttp: allowHttp === 'true' });
}

/** Constructs what connecting needs, and starts deleting what can no longer be used. */
export async function openConnecting(platform: IntegrationsPlatform) {
  const { config, job, pool, ring } = platform;
  job('purge of codes', PURGE_EVERY_MS, async () => purgeAuthorizations(pool), { atOnce: true });
  return {
    ...(await openProviders(platform)),
    authorizations: postgresAuthorizations(pool, ring),
    returnTo: config.returnTo,
  };
}

/** Opens the clients of PROVIDERS_FILE, each with its own breakers for refreshes, codes and introspection. */
async function openProviders({ config, closing, log, fetch }: IntegrationsPlatform) {
  const identityProviders = await readProviders(config.providers);
  const providers = new Map<ClientName, OAuthProvider>();
  for (const { id, clients } of identityProviders) {
    for (const [provider, settings] of clients) {
      const client = { identityProvider: id, provider };
      const name = clientName(client);
      const guardOf = (breaker: string) =>
        closing.add(`${breaker} breaker`, providerBreaker(breaker), ({ stop }) => stop()).guard;
      const oauth = oauthProvider({
        client,
        settings,
        redirectUri: `${config.publicUrl}/connect/${id}/${provider}/callback`,
        guard: guardOf(name),
        exchangeGuard: guardOf(`${name} exchange`),
        askingGuard: guardOf(`${name} introspection`),
        nowMs: Date.now,
        log,
        fetch,
      });
      providers.set(name, oauth);
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
