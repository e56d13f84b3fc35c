import type { Ports } from './ports.js';
import { providerNameOf } from './provider-of.js';

/**
 * Where the answer that came back under this state is to be forwarded to. Undefined for a state that is
 * used, too old, another provider's or made up, as for one that was begun without: who asks learns
 * nothing else. An address that was taken off the list since then counts no more.
 */
export const returnToOf =
  ({ providers, authorizations, returnTo: allowed }: Ports) =>
  async (providerName: string, state: string): Promise<string | undefined> => {
    const name = providerNameOf(providers, providerName);
    if (allowed.size === 0) return undefined;
    const address = await authorizations.returnTo(name, state);
    return address !== undefined && allowed.has(address) ? address : undefined;
  };
