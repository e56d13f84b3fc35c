import { authChecks, type Check, type Look } from '@junction/platform';
import { outboundCalls } from '@junction/service-kit/outbound';
import { TIMEOUT_S } from '../adapters/provider/client-configuration.js';
import type { IdentityProviderSettings } from '../adapters/provider/provider-settings.js';
import { readProviders } from '../adapters/provider/read-providers.js';
import { describedProvider } from '../adapters/provider/server-metadata.js';
import type { Config } from '../config.js';

/** Returns the checks of what integrations needs besides the platform: auth, and providers that describe themselves. */
export const doctorChecks = (config: Config): readonly Check[] => [
  ...authChecks(config),
  {
    name: 'providers',
    remedy:
      'Check the issuer in PROVIDERS_FILE, to the letter as the provider names itself, and that this machine may reach it.',
    look: async () => providers(config),
  },
];

async function providers(config: Config): Promise<Look> {
  const { providersFile: path, variable, allowHttpIssuer: allowHttp } = config;
  const all = await readProviders({ path, variable, allowHttp });
  const outbound = outboundCalls(config.proxies);
  try {
    await Promise.all(all.map(async (provider) => describe(provider, outbound.fetch)));
  } finally {
    await outbound.close();
  }
  return `${all.map(({ id }) => id).join(', ')}: each describes itself.`;
}

async function describe(
  { id, clients }: IdentityProviderSettings,
  send: typeof fetch,
): Promise<void> {
  for (const { issuer, clientId } of clients.values()) {
    try {
      await describedProvider({ issuer, clientId, timeoutS: TIMEOUT_S, fetch: send });
    } catch (error) {
      throw new Error(`The description of ${id} (${issuer}) could not be taken.`, { cause: error });
    }
  }
}
