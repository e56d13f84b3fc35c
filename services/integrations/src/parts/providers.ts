import { oauthProvider } from '../adapters/provider/oauth-provider.js';
import { providerBreaker } from '../adapters/provider/provider-breaker.js';
import type { ProvidersSettings } from '../adapters/provider/provider-settings.js';
import { readProviders } from '../adapters/provider/read-providers.js';
import type { OAuthProvider } from '../application/ports.js';
import type { Config } from '../config.js';
import { PROVIDERS, type Provider } from '../domain/connection/events.js';
import type { IntegrationsPlatform } from './platform.js';

/** What PROVIDERS_FILE says. Throws one error that names every mistake in it. */
export const providersSettings = ({
  providersFile: path,
  variable,
  allowHttpIssuer: allowHttp,
}: Config): Promise<ProvidersSettings> => readProviders({ path, variable, allowHttp });

/** The providers of PROVIDERS_FILE, each with its own breakers for refreshes, codes and introspection. */
export async function openProviders({
  config,
  closing,
  log,
}: IntegrationsPlatform): Promise<ReadonlyMap<Provider, OAuthProvider>> {
  const file = await providersSettings(config);
  const providers = new Map<Provider, OAuthProvider>();
  for (const name of PROVIDERS) {
    const settings = file[name];
    if (settings === undefined) continue;
    const guardOf = (breaker: string) =>
      closing.add(`${breaker} breaker`, providerBreaker(breaker), ({ stop }) => stop()).guard;
    const redirectUri = `${config.publicUrl}/connect/${name}/callback`;
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
