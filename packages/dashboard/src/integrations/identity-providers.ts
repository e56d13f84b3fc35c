import type { IdentityProvider, Provider } from '../api/types.js';

/** Those at which an account of this kind can be connected, in the order of the operator. */
export const serversOf = (
  identityProviders: readonly IdentityProvider[],
  kind: Provider,
): readonly IdentityProvider[] =>
  identityProviders.filter(({ providers }) => providers.includes(kind));

/** The one with this id; of one that the operator took out of the settings, only the id is known. */
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
