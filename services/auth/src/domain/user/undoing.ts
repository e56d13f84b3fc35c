import type { NamedFactor } from './events.js';

/** How an account becomes what it was. */
export interface Undoing {
  /** Absent: the account has the address of then. */
  readonly email?: string | undefined;
  readonly removed: readonly NamedFactor[];
  readonly returned: readonly NamedFactor[];
}
