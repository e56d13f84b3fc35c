import type { Role } from '../../domain/user/events.js';
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

/** How a user signs in. */
export interface Credential {
  readonly userId: string;
  readonly passwordHash: string;
  readonly hasFactor: boolean;
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
