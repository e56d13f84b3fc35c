import type { StreamAppend } from '@junction/eventsourcing';
import type { AuthEvent } from '../../domain/auth-event.js';
import type { Undoing } from '../../domain/user/undoing.js';
import type { ChangedAccount, OwnedStreams } from '../account/ports.js';
import type { UndoableKind } from '../mail/notices.js';

/** How long a change can be taken back. */
export const UNDO_MS = 72 * 60 * 60 * 1_000;

/** A change of an account that its user was told of. */
export interface AccountChange {
  readonly kind: UndoableKind;
  readonly changedAt: Date;
}

/** The account whose changes are taken back, locked until that is stored. */
export interface UndoneAccount extends ChangedAccount {
  /** The address that the link was mailed to: that of before the change. */
  readonly email: string;
  readonly undoing: Undoing;
  /** Keys that were made, or got a secret, since. */
  readonly apiKeys: OwnedStreams['apiKeys'];
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
  /**
   * Takes back the change and every later one, with the events that `decide` makes of it and a new password hash,
   * which ends the tokens of the user and the links of these changes. All or nothing. Undefined: there is no such
   * token. AppError `email_taken` where another account has got the address since.
   */
  undo(
    wanted: WantedChange & { readonly passwordHash: string },
    decide: (account: UndoneAccount) => readonly StreamAppend<AuthEvent>[],
  ): Promise<UndoneAccount | undefined>;
  /** Deletes some of those before this moment. */
  deleteEnded(before: Date): Promise<void>;
}
