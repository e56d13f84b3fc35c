import type { Ports } from '../ports.js';
import { clientFor, type NamedClient } from '../provider-of.js';

/**
 * Returns the address for the answer that came back under this state to a client's redirect URI. Undefined for a state
 * that is used, too old, another client's or made up, and for an authorization without an address: the caller learns
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
