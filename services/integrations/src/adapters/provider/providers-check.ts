import type { Check, Look } from '@junction/operations';
import { idTokenAlgorithms } from '@junction/service/callers';
import { outboundCalls } from '@junction/service/outbound';
import { isDevelopment } from '@junction/service/process';
import type { Config } from '../../config.js';
import { TIMEOUT_S } from './client-configuration.js';
import type { IdentityProviderSettings } from './provider-settings.js';
import { readProviders } from './read-providers.js';
import { describedProvider } from './server-metadata.js';

/** Throws one error that names every mistake in PROVIDERS_FILE, whatever else is wrong with the environment. */
export async function checkProviders(env: NodeJS.ProcessEnv): Promise<void> {
  const { PROVIDERS_FILE: path } = env;
  const variable = (name: string) => env[name];
  if (path) await readProviders({ path, variable, allowHttp: isDevelopment(env) });
}

/** Checks that the providers describe themselves. */
export const describedProviders = (config: Config): Check => ({
  name: 'providers',
  remedy:
    'Check the issuer in PROVIDERS_FILE, to the letter as the provider names itself, and that this machine may reach it, or HTTPS_PROXY where that is set.',
  look: async () => look(config),
});

async function look(config: Config): Promise<Look> {
  const all = await readProviders(config.providers);
  const { fetch, close } = outboundCalls(config.proxies);
  const describe = async ({ id, clients }: IdentityProviderSettings) => {
    for (const settings of clients.values()) {
      const { issuer } = settings;
      const algorithms = idTokenAlgorithms(settings);
      const asked = { issuer, credentials: settings, algorithms, timeoutS: TIMEOUT_S, fetch };
      const described = describedProvider(asked);
      await described.catch((cause: unknown) => {
        throw new Error(`The description of ${id} (${issuer}) could not be taken.`, { cause });
      });
    }
  };
  try {
    await Promise.all(all.map(describe));
  } finally {
    await close();
  }
  return `${all.map(({ id }) => id).join(', ')}: each describes itself.`;
}
