import type { UndoableKind } from '../mail/notices.js';

/** A change that can be taken back, with what it needs for that. */
export interface KeptChange {
  readonly userId: string;
  readonly kind: UndoableKind;
  readonly at: Date;
  /** The address before the change. */
  readonly email: string;
  /** The key that was made, or got a secret. */
  readonly keyId: string | undefined;
  /** Whether a mail has a link to it: the second factors of the moment are kept then. */
  readonly isLinked: boolean;
}

/** Changes that can still be taken back. */
export interface AccountChangeTable {
  /** Adds a change, and returns its id. */
  add(change: KeptChange): Promise<string>;
}
