import type { Role, UserEvent } from '../../domain/user/events.js';
import type { MailedPurpose } from '../mail/ports.js';
import type { TakenToken, WantedToken } from './tables.js';

export interface User {
  readonly id: string;
  /** Null: a trusted issuer knows it. */
  readonly email: string | null;
  /** The trusted issuer whose user this is, by its id; null: our own. */
  readonly origin: string | null;
  readonly createdAt: Date;
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
  readonly tokenHash: Buffer;
  readonly userId: string;
  readonly purpose: MailedPurpose;
  readonly email: string;
  readonly expiresAt: Date;
}

export interface Accounts {
  find(userId: string): Promise<User | undefined>;
  /** Oldest first; none for a user who is gone. */
  history(userId: string): Promise<readonly UserEvent[]>;
  /** Users who may call the operators' routes, oldest account first. */
  operators(): Promise<readonly User[]>;
  /** Returns the id of the user who has the address. */
  idOf(email: string): Promise<string | undefined>;
  /**
   * Whether somebody has the address, or had it, verified, until a change of it that can still be taken back; then for
   * another than this user.
   */
  isTaken(email: string, userId?: string): Promise<boolean>;
  credential(email: string): Promise<{ userId: string; passwordHash: string } | undefined>;
  /** Undefined: the user has no password here, or is gone. */
  passwordHash(userId: string): Promise<string | undefined>;
  /** Another one of the same user and purpose counts no more. Does nothing for a user who is gone. */
  keepToken(token: MailedToken): Promise<void>;
  /** The account that a token names. The token stays unused. */
  mailedTo(wanted: WantedToken): Promise<MailedAccount | undefined>;
}
