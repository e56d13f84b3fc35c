import { isSealed } from './sealed-value.js';
import type { Vault } from './subject-vault.js';
import { VaultError } from './vault-errors.js';

/** What a sealed field reads as for somebody who may look at events and not at people. */
export const SEALED = '[sealed]';

/**
 * A vault without keys: a codec made with it reads every sealed field as SEALED, whether its subject's
 * key exists or not. It seals nothing.
 */
export const closedVault: Vault = {
  seal: async () => refuse(),
  open: async () => Buffer.from(JSON.stringify(SEALED)),
  openWith: () => Buffer.from(JSON.stringify(SEALED)),
  shred: async () => refuse(),
};

function refuse(): never {
  throw new VaultError(
    'no_data_key',
    'A closed vault has no keys: it only reads, and reads [sealed].',
  );
}

/** Stored data as they may be shown: SEALED in the place of whatever is sealed, at any depth. */
export function hideSealed(data: unknown): unknown {
  if (isSealed(data)) return SEALED;
  if (Array.isArray(data)) return data.map(hideSealed);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, hideSealed(value)]));
}
