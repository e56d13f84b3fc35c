import type { IdentityProvider, Integration, Provider } from '../api/types.js';

/** The accounts of one kind. */
export interface Accounts {
  /** Accounts that are connected, or that wait to be reconnected or disconnected. */
  readonly current: readonly Integration[];
  /** Accounts that the user has disconnected. */
  readonly ended: readonly Integration[];
}

export function accountsOf(integrations: readonly Integration[], kind: Provider): Accounts {
  const ofKind = integrations.filter(({ provider }) => provider === kind);
  return {
    current: ofKind.filter(({ status }) => status !== 'disconnected'),
    ended: ofKind.filter(({ status }) => status === 'disconnected'),
  };
}

/**
 * Returns the account's name with that of its identity provider, because another provider may have an account of the
 * same name.
 */
export const fullName = (
  { account }: Pick<Integration, 'account'>,
  { display_name: place }: Pick<IdentityProvider, 'display_name'>,
): string => `${account} at ${place}`;

/** Returns whether an account can serve as the primary of its kind. */
export const canBePrimary = ({ status }: Pick<Integration, 'status'>): boolean =>
  status !== 'revoked' && status !== 'disconnected';
