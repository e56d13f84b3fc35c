import type { StreamAppend } from '@junction/eventsourcing';
import type { AuthEvent } from '../../domain/auth-event.js';
import type { Role, UserEvent } from '../../domain/user/events.js';
import type { DeletionReceipt } from '../deletion/ports.js';
import type { MailedPurpose } from '../mail/ports.js';

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

/** The account before a change, locked until the change is stored. */
export interface ChangedAccount {
  readonly userId: string;
  /** Null of a trusted issuer's user. */
  readonly currentEmail: string | null;
  readonly history: readonly UserEvent[];
  readonly version: number;
  readonly sessions: OwnedStreams['sessions'];
  readonly apiKeys: OwnedStreams['apiKeys'];
}

/** A token that came by mail. */
export interface TakenToken extends ChangedAccount {
  readonly purpose: MailedPurpose;
  /** The address it was sent to. */
  readonly email: string;
}

export interface WantedToken {
  readonly tokenHash: Buffer;
  readonly purposes: readonly MailedPurpose[];
  readonly now: Date;
}

/** The account that a mailed token names, as it is before the token is used. */
export interface MailedAccount extends Pick<TakenToken, 'userId' | 'purpose' | 'email'> {
  /** Null of a trusted issuer's user. */
  readonly currentEmail: string | null;
  readonly isVerified: boolean;
}

/** The account that takes the place of one that ends, in the same transaction. */
export interface Successor {
  readonly userId: string;
  /** The first events of its stream. */
  readonly opening: StreamAppend<AuthEvent>;
  readonly passwordHash: string;
  /** Ends the account before it. */
  readonly closing: (owned: OwnedStreams) => Closing;
}

export interface MailedToken {
  readonly tokenHash: Buffer;
  readonly userId: string;
  readonly purpose: MailedPurpose;
  readonly email: string;
  readonly expiresAt: Date;
}

/** How an account ends. */
export interface Closing {
  readonly appends: readonly StreamAppend<AuthEvent>[];
  readonly receipt: DeletionReceipt;
}

/** The streams that end with a user, each with its version. */
export interface OwnedStreams {
  readonly userVersion: number;
  readonly sessions: readonly { readonly sessionId: string; readonly version: number }[];
  readonly apiKeys: readonly { readonly keyId: string; readonly version: number }[];
  /** How many: they have no stream. */
  readonly passkeys: number;
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
  /** Events and password hash, both or neither. AppError `email_taken` when somebody was faster. */
  open(append: StreamAppend<AuthEvent>, userId: string, passwordHash: string): Promise<void>;
  /** Another one of the same user and purpose counts no more. Does nothing for a user who is gone. */
  keepToken(token: MailedToken): Promise<void>;
  /** The account that a token names. The token stays unused. */
  mailedTo(wanted: WantedToken): Promise<MailedAccount | undefined>;
  /**
   * Takes a token, which counts once, and appends what `decide` says; with a new password hash, which ends all other
   * tokens of the user. All or nothing. Undefined when there is no such token. AppError `email_taken`.
   */
  redeem(
    wanted: WantedToken & { readonly passwordHash?: string },
    decide: (token: TakenToken) => readonly StreamAppend<AuthEvent>[],
  ): Promise<TakenToken | undefined>;
  /**
   * Takes a token, ends the account that it names as `close` does, and opens the account that `decide` gives: all or
   * nothing. Undefined when there is no such token.
   */
  beginAnew(
    wanted: WantedToken,
    decide: (token: TakenToken) => Successor,
  ): Promise<TakenToken | undefined>;
  /**
   * Stores a new password hash with the events of `decide`, and ends the user's tokens. AppError `unauthenticated`
   * for a user who is gone.
   */
  changePassword(
    userId: string,
    passwordHash: string,
    decide: (account: ChangedAccount) => readonly StreamAppend<AuthEvent>[],
  ): Promise<ChangedAccount>;
  /** Appends what `decide` says. AppError `unauthenticated` for a user who is gone. */
  change(
    userId: string,
    decide: (account: ChangedAccount) => readonly StreamAppend<AuthEvent>[],
  ): Promise<void>;
  /**
   * Everything of the user in one transaction: appends events, deletes the rows, shreds the key that her
   * personal fields are sealed with, and keeps the receipt. Undefined for a user who is gone.
   */
  close(
    userId: string,
    closing: (owned: OwnedStreams) => Closing,
  ): Promise<DeletionReceipt | undefined>;
}
