import { AppError } from '@junction/errors';
import {
  type Client,
  type ClientName,
  clientName,
  isProvider,
  PROVIDERS,
  type Provider,
} from '../domain/connection/events.js';
import type { OAuthProvider } from './oauth-provider.js';
import type { Ports } from './ports.js';

type Providers = Ports['providers'];

/** Client that is set up, and the provider through which it is called. */
export interface Configured extends Client {
  readonly client: ClientName;
  readonly oauth: OAuthProvider;
}

/** Client as an address names it. */
export interface NamedClient {
  readonly identityProvider: string;
  readonly provider: string;
}

/**
 * Returns the client of a kind: at this identity provider, or at the first that serves the kind. AppError
 * `unknown_provider` when none serves the kind, `unknown_identity_provider` when this one does not.
 */
export function clientFor(
  providers: Providers,
  kind: string,
  identityProvider?: string,
): Configured {
  const provider = kindNamed(kind);
  const serving = servingOf(providers, provider);
  const [first] = serving;
  if (first === undefined) throw notServed(provider);
  const asked =
    identityProvider === undefined
      ? first
      : serving.find(([, { client }]) => client.identityProvider === identityProvider);
  if (asked) return { ...asked[1].client, client: asked[0], oauth: asked[1] };
  throw unknownIdentityProvider(servingAt(providers, provider));
}

/** Returns the identity providers that serve a kind. */
export const servingAt = (providers: Providers, provider: Provider): readonly string[] =>
  servingOf(providers, provider).map(([, { client }]) => client.identityProvider);

const servingOf = (providers: Providers, provider: Provider) =>
  [...providers].filter(([, { client }]) => client.provider === provider);

/**
 * Returns a known client with its provider. AppError `provider_unavailable` when the client is not set up (any more).
 */
export function configured(providers: Providers, of: Client): Configured {
  const client = clientName(of);
  const oauth = providers.get(client);
  if (oauth) return { ...oauth.client, client, oauth };
  throw new AppError('provider_unavailable', `${client} is not set up here.`);
}

/** Returns the kind with this name, also when no identity provider serves it: its connections can be read and ended. */
export function kindNamed(name: string): Provider {
  if (isProvider(name)) return name;
  throw new AppError(
    'unknown_provider',
    `There is no such provider. There is: ${PROVIDERS.join(', ')}.`,
  );
}

const notServed = (provider: Provider): AppError =>
  new AppError('unknown_provider', `No identity provider serves ${provider} here.`);

function unknownIdentityProvider(known: readonly string[]): AppError {
  const message = `There is no such identity provider for this. There is: ${known.join(', ')}.`;
  return new AppError('unknown_identity_provider', message, {
    fields: [{ field: 'identity_provider', code: 'unknown_identity_provider', message }],
  });
}
