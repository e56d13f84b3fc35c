import { oauthProvider } from '../adapters/provider/oauth-provider.js';
import { providerBreaker } from '../adapters/provider/provider-breaker.js';
import { readProviders } from '../adapters/provider/read-providers.js';
import type { OAuthProvider } from '../application/ports.js';
import { PROVIDERS, type Provider } from '../domain/connection/events.js';
import type { IntegrationsPlatform } from './platform.js';

/** Throws one error that names every mistake in PROVIDERS_FILE, whatever else is wrong with the environment. */
export async function checkProviders(env: NodeJS.ProcessEnv): Promise<void> {
  const { PROVIDERS_FILE: path, ALLOW_HTTP_ISSUER: allowHttp } = env;
  const variable = (name: string) => env[name];
  if (path) await readProviders({ path, variable, allowHttp: allowHttp === 'true' });
}

/** The providers of PROVIDERS_FILE, each with its own breakers for refreshes, codes and introspection. */
export async function openProviders({
  config,
  closing,
  log,
}: IntegrationsPlatform): Promise<ReadonlyMap<Provider, OAuthProvider>> {
  const { providersFile: path, variable, allowHttpIssuer: allowHttp, publicUrl } = config;
  const file = await readProviders({ path, variable, allowHttp });
  const providers = new Map<Provider, OAuthProvider>();
  for (const name of PROVIDERS) {
    const settings = file[name];
    if (settings === undefined) continue;
    const guardOf = (breaker: string) =>
      closing.add(`${breaker} breaker`, providerBreaker(breaker), ({ stop }) => stop()).guard;
    const redirectUri = `${publicUrl}/connect/${name}/callback`;
    const guards = {
      guard: guardOf(name),
      exchangeGuard: guardOf(`${name} exchange`),
      askingGuard: guardOf(`${name} introspection`),
    };
    const options = { settings, redirectUri, ...guards, nowMs: Date.now, log };
    providers.set(name, oauthProvider(options));
  }
  return providers;
}
