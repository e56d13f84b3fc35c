import type { Fetch } from '@junction/async';
import { type Check, type Complaint, type Look, problem, warning } from '@junction/operations';
import { idTokenAlgorithms } from '@junction/service/callers';
import { outboundCalls } from '@junction/service/outbound';
import { isDevelopment } from '@junction/service/process';
import { refreshTokenGrant } from 'openid-client';
import type { ProviderError } from '../../application/provider-error.js';
import type { Config } from '../../config.js';
import { TIMEOUT_S } from './client-configuration.js';
import { providerCall } from './provider-call.js';
import type { ProviderSettings } from './provider-settings.js';
import { readProviders } from './read-providers.js';
import { describedProvider } from './server-metadata.js';

/** Throws one error that names every mistake in PROVIDERS_FILE, whatever else is wrong with the environment. */
export async function checkProviders(env: NodeJS.ProcessEnv): Promise<void> {
  const { PROVIDERS_FILE: path } = env;
  const variable = (name: string) => env[name];
  if (path) await readProviders({ path, variable, allowHttp: isDevelopment(env) });
}

/** Token that no provider has given: to ask with it ends nothing, and shows whether our client is accepted. */
const NO_TOKEN = 'doctor';
const REMEDY =
  'Check the issuer in PROVIDERS_FILE, to the letter as the provider names itself, and that this machine may reach it, or HTTPS_PROXY where that is set.';

/** Checks that the providers describe themselves, and accept our clients (RFC 6749, section 5.2). */
export const describedProviders = (config: Config): Check => ({
  name: 'providers',
  remedy: REMEDY,
  look: async () => look(config),
});

async function look(config: Config): Promise<Look> {
  const all = await readProviders(config.providers);
  const { fetch, close } = outboundCalls(config.proxies);
  try {
    const each = all.flatMap(({ id, clients }) =>
      [...clients].map(async ([provider, settings]) =>
        judged(`${id}/${provider}`, settings, fetch),
      ),
    );
    const complaints = (await Promise.all(each)).flat();
    if (complaints.length > 0) return complaints;
  } finally {
    await close();
  }
  return `${all.map(({ id }) => id).join(', ')}: each describes itself and accepts our clients.`;
}

async function judged(
  name: string,
  settings: ProviderSettings,
  fetch: Fetch,
): Promise<readonly Complaint[]> {
  const { issuer } = settings;
  const algorithms = idTokenAlgorithms(settings);
  const asked = { issuer, credentials: settings, algorithms, timeoutS: TIMEOUT_S, fetch };
  const described = await describedProvider(asked).catch((cause: unknown) => {
    throw new Error(`The description of ${name} (${issuer}) could not be taken.`, { cause });
  });
  const call = providerCall({ settings, fetch }, async () => described);
  try {
    await call(async (config) => refreshTokenGrant(config, NO_TOKEN));
  } catch (error) {
    const { failure, reason } = error as ProviderError;
    if (failure === 'misconfigured') {
      const found = `${issuer} refuses the client ${settings.clientId} of ${name}: ${reason}.`;
      return [problem(found, CLIENT_REMEDY)];
    }
    if (failure === 'unavailable') {
      const found = `${issuer} did not say whether it accepts the client of ${name}: ${reason}.`;
      return [warning(found, 'Ask again.')];
    }
  }
  return [];
}

const CLIENT_REMEDY =
  'Check client_id and the secret or key that PROVIDERS_FILE names for it: the provider gives a new secret where the client is registered, and one may have ended.';
