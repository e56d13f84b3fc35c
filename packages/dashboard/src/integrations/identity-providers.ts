import type { IdentityProvider, Provider } from '../api/types.js';

/** Returns the identity providers at which an account of this kind can be connected, in the operator's order. */
export const serversOf = (
  identityProviders: readonly IdentityProvider[],
  kind: Provider,
): readonly IdentityProvider[] =>
  identityProviders.filter(({ providers }) => providers.includes(kind));

/**
 * Returns the identity provider with this id. When the operator has removed it from the settings, only its id is
 * known.
 */
export const identityProviderOf = (
  identityProviders: readonly IdentityProvider[],
  id: string,
): IdentityProvider =>
  identityProviders.find((one) => one.id === id) ?? {
    id,
    display_name: id,
    icon: null,
    providers: [],
  };
