import { isSealed } from './sealed-value.js';
import type { Vault } from './subject-vault.js';
import { VaultError } from './vault-errors.js';

/** Text of a sealed field for a reader who may see events but not personal data. */
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

/** Returns stored data as they may be shown: every sealed value, at any depth, becomes SEALED. */
export function hideSealed(data: unknown): unknown {
  if (isSealed(data)) return SEALED;
  if (Array.isArray(data)) return data.map(hideSealed);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, hideSealed(value)]));
}
