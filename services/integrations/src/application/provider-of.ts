import { AppError } from '@junction/errors';
import { isProvider, type Provider } from '../domain/connection/events.js';
import type { OAuthProvider } from './needs.js';

/** The name as one of ours, and its provider. AppError `unknown_provider` also for one not set up. */
export function providerOf(
  providers: ReadonlyMap<Provider, OAuthProvider>,
  name: string,
): { readonly name: Provider; readonly provider: OAuthProvider } {
  const provider = isProvider(name) ? providers.get(name) : undefined;
  if (provider) return { name: name as Provider, provider };
  throw new AppError(
    'not_found',
    'unknown_provider',
    `There is no such provider here. There is: ${[...providers.keys()].join(', ')}.`,
  );
}
