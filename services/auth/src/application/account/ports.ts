import type { StreamAppend } from '@junction/eventsourcing';
import type { AuthEvent } from '../../domain/auth-event.js';

export interface User {
  readonly id: string;
  readonly email: string;
  readonly createdAt: Date;
}

/** The streams that end with a user, each with its version. */
export interface OwnedStreams {
  readonly userVersion: number;
  readonly sessions: readonly { readonly sessionId: string; readonly version: number }[];
  readonly apiKeys: readonly { readonly keyId: string; readonly version: number }[];
}

export interface Accounts {
  find(userId: string): Promise<User | undefined>;
  isTaken(email: string): Promise<boolean>;
  credential(email: string): Promise<{ userId: string; passwordHash: string } | undefined>;
  /** Events and password hash, both or neither. AppError `email_taken` when somebody was faster. */
  open(append: StreamAppend<AuthEvent>, userId: string, passwordHash: string): Promise<void>;
  /**
   * Everything of the user in one transaction: appends `closingEvents`, deletes the rows, and shreds the
   * key that her personal fields are sealed with. Does nothing for a user who is gone.
   */
  close(
    userId: string,
    closingEvents: (owned: OwnedStreams) => readonly StreamAppend<AuthEvent>[],
  ): Promise<void>;
}
