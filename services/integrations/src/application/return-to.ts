import type { Ports } from './ports.js';
import { clientFor } from './provider-of.js';

/** A client as an address names it. */
export interface NamedClient {
  readonly identityProvider: string;
  readonly provider: string;
}

/**
 * Where the answer that came back under this state to a client's redirect URI is to be forwarded to. Undefined for a
 * state that is used, too old, another client's or made up, as for one that was begun without: who asks learns
 * nothing else. An address that was taken off the list since then counts no more.
 */
export const returnToOf =
  ({ providers, authorizations, returnTo: allowed }: Ports) =>
  async (named: NamedClient, state: string): Promise<string | undefined> => {
    const { oauth } = clientFor(providers, named.provider, named.identityProvider);
    if (allowed.size === 0) return undefined;
    const address = await authorizations.returnTo(oauth.client, state);
    return address !== undefined && allowed.has(address) ? address : undefined;
  };
