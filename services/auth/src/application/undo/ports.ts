import type { UndoableKind } from '../mail/notices.js';

/** How long a change can be taken back. */
export const UNDO_MS = 72 * 60 * 60 * 1_000;

/** A change of an account that its user was told of. */
export interface AccountChange {
  readonly kind: UndoableKind;
  readonly changedAt: Date;
}

export interface WantedChange {
  readonly tokenHash: Buffer;
  /** Changes before this moment stay. */
  readonly since: Date;
}

/** Changes that can still be taken back, each by the link of its mail. */
export interface AccountChanges {
  /** The token of the mail about this change. False: it was taken back, or its account is gone. */
  keepToken(changeId: string, tokenHash: Buffer): Promise<boolean>;
  /** The change that a token stands for, and those after it, oldest first; none for an unknown token. */
  find(wanted: WantedChange): Promise<readonly AccountChange[]>;
  /** Deletes some of those before this moment. */
  deleteEnded(before: Date): Promise<void>;
}
