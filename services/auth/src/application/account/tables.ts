import type { MailedPurpose } from '../mail/ports.js';

/** An account whose row is locked until the transaction ends. */
export interface LockedAccount {
  readonly userId: string;
  /** Null of a trusted issuer's user. */
  readonly email: string | null;
  /** Whether a mail to the address is known to reach the user. */
  readonly isVerified: boolean;
}

export interface AccountTable {
  /**
   * Locks an account until the transaction ends, against other changes and against logins: a login that has shown the
   * password before waits, and goes on after the change. Undefined for a user who is gone.
   */
  lock(userId: string): Promise<LockedAccount | undefined>;
  /** Destroys the key that seals the personal fields of the user's events. */
  shredKey(userId: string): Promise<void>;
}

export interface PasswordTable {
  /** Inserts a hash, or replaces the one before. */
  save(userId: string, hash: string): Promise<void>;
}

export interface WantedToken {
  readonly tokenHash: Buffer;
  readonly purposes: readonly MailedPurpose[];
  readonly now: Date;
}

/** A token that came by mail. */
export interface TakenToken {
  readonly userId: string;
  readonly purpose: MailedPurpose;
  /** The address it was sent to. */
  readonly email: string;
}

export interface MailedTokenTable {
  /** Takes a token, which counts once; undefined when there is no such token. */
  take(wanted: WantedToken): Promise<TakenToken | undefined>;
  delete(userId: string): Promise<void>;
}
