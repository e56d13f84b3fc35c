import { authChecks, type Check, type Look } from '@junction/service';
import { outboundCalls } from '@junction/service/outbound';
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
  const all = await readProviders(config.providers);
  const outbound = outboundCalls(config.proxies);
  const describe = async ({ id, clients }: IdentityProviderSettings) => {
    for (const { issuer, clientId } of clients.values()) {
      await describedProvider({
        issuer,
        clientId,
        timeoutS: TIMEOUT_S,
        fetch: outbound.fetch,
      }).catch((cause: unknown) => {
        throw new Error(`The description of ${id} (${issuer}) could not be taken.`, { cause });
      });
    }
  };
  try {
    await Promise.all(all.map(describe));
  } finally {
    await outbound.close();
  }
  return `${all.map(({ id }) => id).join(', ')}: each describes itself.`;
}
