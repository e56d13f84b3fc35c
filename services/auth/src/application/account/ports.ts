import type { Role, UserEvent } from '../../domain/user/events.js';
import type { MailedPurpose } from '../mail/ports.js';

export interface User {
  readonly id: string;
  /** Null when only a trusted issuer knows the address. */
  readonly email: string | null;
  /** The trusted issuer whose user this is, by its id; null: our own. */
  readonly origin: string | null;
  /** When it was shown that the user reads the mails to the address; null: not yet. */
  readonly emailVerifiedAt: Date | null;
  readonly role: Role;
}

/** The account that a mailed token names, as it is before the token is used. */
export interface MailedAccount extends TakenToken {
  /** Null of a trusted issuer's user. */
  readonly currentEmail: string | null;
  readonly isVerified: boolean;
}

export interface MailedToken {
  readonly token: string;
  readonly userId: string;
  readonly purpose: MailedPurpose;
  readonly email: string;
  readonly now: Date;
  readonly expiresAt: Date;
}

export interface Accounts {
  find(userId: string): Promise<User | undefined>;
  /** Oldest first; none for a user who is gone. */
  history(userId: string): Promise<readonly UserEvent[]>;
  closeFirstSteps(userId: string): Promise<void>;
  /** Returns the id of the user who has the address, also of one whose account is closed. */
  idOf(email: string): Promise<string | undefined>;
  /** Returns the id of the user whose account has the address, and is open. */
  openAt(email: string): Promise<string | undefined>;
  /** Returns some of the users whose accounts were closed by this moment. */
  closedBy(moment: Date): Promise<readonly string[]>;
  /**
   * Whether somebody has the address, or had it, verified, until a change of it that can still be taken back; then for
   * another than this user.
   */
  isTaken(email: string, userId?: string): Promise<boolean>;
  credential(email: string): Promise<{ userId: string; passwordHash: string } | undefined>;
  /** Returns undefined when the user has no password here, or is gone. */
  passwordHash(userId: string): Promise<string | undefined>;
  /**
   * Keeps a token for a mail, and returns the one to mail: the token that was mailed to the same address before, if it
   * still counts, and goes on with the life of this one. Another of the same user and purpose counts no more. Undefined
   * for a user who is gone.
   */
  keepToken(token: MailedToken): Promise<string | undefined>;
  /** The account that a token names. The token stays unused. */
  mailedTo(wanted: WantedToken): Promise<MailedAccount | undefined>;
}

/** An account whose row is locked until the transaction ends. */
export interface LockedAccount {
  readonly userId: string;
  /** Null of a trusted issuer's user. */
  readonly email: string | null;
  /** Whether a mail to the address is known to reach the user. */
  readonly isVerified: boolean;
  /** Whether the user wants mails about webhooks and connections that need them. */
  readonly wantsTroubleMails: boolean;
}

export interface AccountTable {
  /**
   * Locks an account until the transaction ends, against other changes and against logins: a login that has shown the
   * password before waits, and goes on after the change. Undefined for a user who is gone, or whose account is closed.
   */
  lock(userId: string): Promise<LockedAccount | undefined>;
  /** The same, also of an account that is closed. */
  lockEvenClosed(userId: string): Promise<(LockedAccount & { closedAt: Date | null }) | undefined>;
  /** Deletes what opens the account, and what its user would be told of: the account is closed. */
  close(userId: string): Promise<void>;
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
