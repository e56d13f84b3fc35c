import { AppError } from '@junction/errors';
import { isProvider, type Provider } from '../domain/connection/events.js';
import type { OAuthProvider } from './ports.js';

type Providers = ReadonlyMap<Provider, OAuthProvider>;

/** The name as one of ours, and its provider. AppError `unknown_provider` also for one not set up. */
export function providerOf(
  providers: Providers,
  name: string,
): { readonly name: Provider; readonly provider: OAuthProvider } {
  const provider = isProvider(name) ? providers.get(name) : undefined;
  if (provider) return { name: name as Provider, provider };
  throw unknown(providers);
}

/** The name alone: a connection can be read and ended although its provider is not configured. */
export function providerNameOf(providers: Providers, name: string): Provider {
  if (isProvider(name)) return name;
  throw unknown(providers);
}

const unknown = (providers: Providers): AppError =>
  new AppError(
    'not_found',
    'unknown_provider',
    `There is no such provider here. There is: ${[...providers.keys()].join(', ')}.`,
  );
