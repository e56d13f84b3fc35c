import { AppError } from '@junction/errors';
import {
  type Client,
  type ClientName,
  clientName,
  isProvider,
  PROVIDERS,
  type Provider,
} from '../domain/connection/events.js';
import type { OAuthProvider, Ports } from './ports.js';

type Providers = Ports['providers'];

/** A client that is set up, and how it is talked to. */
export interface Configured extends Client {
  readonly client: ClientName;
  readonly oauth: OAuthProvider;
}

/**
 * The client of a kind: at this identity provider, or at the first that serves the kind. AppError
 * `unknown_provider` where none does, `unknown_identity_provider` where this one does not.
 */
export function clientFor(
  providers: Providers,
  kind: string,
  identityProvider?: string,
): Configured {
  const provider = kindNamed(kind);
  const serving = [...providers].filter(([, { client }]) => client.provider === provider);
  const [first] = serving;
  if (first === undefined) throw notServed(provider);
  const asked =
    identityProvider === undefined
      ? first
      : serving.find(([, { client }]) => client.identityProvider === identityProvider);
  if (asked) return { ...asked[1].client, client: asked[0], oauth: asked[1] };
  throw unknownIdentityProvider(serving.map(([, { client }]) => client.identityProvider));
}

/** A client that is known: AppError `provider_unavailable` when it is not set up (any more). */
export function configured(providers: Providers, of: Client): Configured {
  const client = clientName(of);
  const oauth = providers.get(client);
  if (oauth) return { ...oauth.client, client, oauth };
  throw new AppError('provider_unavailable', `${client} is not set up here.`);
}

/** A kind, also where no identity provider serves it: its connections can be read and ended. */
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
