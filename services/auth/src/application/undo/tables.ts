import type { Undoing } from '../../domain/user/undoing.js';
import type { OwnedApiKey } from '../api-key/tables.js';
import type { UndoableKind } from '../mail/notices.js';
import type { WantedChange } from './ports.js';

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

/** A change whose link was used. */
export interface FoundChange {
  readonly changeId: string;
  /** The order of changes. */
  readonly place: string;
  readonly userId: string;
  /** The address before the change, to which the link was mailed. */
  readonly email: string;
}

/** Changes that can still be taken back. */
export interface AccountChangeTable {
  /** Adds a change, and returns its id. */
  add(change: KeptChange): Promise<string>;
  find(wanted: WantedChange): Promise<FoundChange | undefined>;
  /**
   * Makes the user's second factors those of before the change, and returns the difference. Factors that are still
   * there keep their counters. Recovery codes do not come back, because they may have been used since, and neither
   * does a passkey that another account has registered meanwhile.
   */
  restoreFactors(change: FoundChange): Promise<Pick<Undoing, 'removed' | 'returned'>>;
  /** Lists the live keys that were made, or got a secret, with this change or later. */
  apiKeysSince(change: FoundChange): Promise<readonly OwnedApiKey[]>;
  /** Deletes this change and all later ones, with their links and the mails about them. */
  deleteSince(change: FoundChange): Promise<void>;
}
