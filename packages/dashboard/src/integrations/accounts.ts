import type { IdentityProvider, Integration, Provider } from '../api/types.js';

/** The accounts of one kind. */
export interface Accounts {
  /** Those that are connected, or are to be connected again or given up. */
  readonly current: readonly Integration[];
  /** Those that the user has disconnected. */
  readonly ended: readonly Integration[];
}

export function accountsOf(integrations: readonly Integration[], kind: Provider): Accounts {
  const ofKind = integrations.filter(({ provider }) => provider === kind);
  return {
    current: ofKind.filter(({ status }) => status !== 'disconnected'),
    ended: ofKind.filter(({ status }) => status === 'disconnected'),
  };
}

/** Tells it from one of the same name at another identity provider. */
export const fullName = (
  { account }: Pick<Integration, 'account'>,
  { display_name: place }: Pick<IdentityProvider, 'display_name'>,
): string => `${account} at ${place}`;

/** Can it serve as the primary of its kind? */
export const canBePrimary = ({ status }: Pick<Integration, 'status'>): boolean =>
  status !== 'revoked' && status !== 'disconnected';
