import type { Role } from '../domain/user/events.js';
import type { ClientAssertions } from './client/ports.js';
import type { ForeignTokens, IssuerSignIns, TrustedIssuers } from './issuer/ports.js';
import type { Totp, WebAuthn } from './second-factor/ports.js';
import type { DeclaredClients } from './service-accounts.js';
import type { TokenSession } from './session/ports.js';
import type { UnsubscribeTokens } from './trouble/ports.js';

/** Reads and writes of the database by a single statement, typed as the statements are, and the unit of work. */
type TablesOnPool = ReturnType<typeof import('../adapters/postgres/tables.js').tablesOn>;

/** The ports that the use cases need, with the clock, ids and randomness among them. */
export interface Ports extends TablesOnPool {
  readonly totp: Totp;
  readonly webAuthn: WebAuthn;
  readonly passwords: Passwords;
  readonly limits: Limits;
  readonly unsubscribeTokens: UnsubscribeTokens;
  readonly accessTokens: AccessTokens;
  /** Clients of SERVICE_ACCOUNTS_FILE, which are known without a database. */
  readonly declaredClients: DeclaredClients;
  readonly clientAssertions: ClientAssertions;
  readonly foreignTokens: ForeignTokens;
  readonly issuerSignIns: IssuerSignIns;
  readonly trustedIssuers: TrustedIssuers;
  readonly now: () => Date;
  readonly newUserId: () => string;
  readonly newSessionId: () => string;
  readonly newKeyId: () => string;
  readonly newClientId: () => string;
  readonly newPasskeyId: () => string;
  readonly newPortalId: () => string;
  readonly random: (bytes: number) => Buffer;
}

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Works as long without a hash as with one, and then says false. */
  verify(passwordHash: string | undefined, password: string): Promise<boolean>;
}

/** The sender of a request who has not been authenticated yet. */
export interface Visitor {
  readonly ip: string;
  /** Hears how they stand with each limit that their request meets; again once that has changed. */
  readonly onLimit: (state: LimitState) => void;
}

/** How a visitor stands with one limit. */
export interface LimitState {
  readonly name: string;
  readonly limit: number;
  readonly windowS: number;
  readonly remaining: number;
  /** Seconds until the window ends and attempts count anew. */
  readonly resetS: number;
}

/** Each says AppError `too_busy` where too many of an account, or accounts of a network, wait for each other. */
export interface Limits {
  /**
   * Counts an attempt that fails (`prove` answers undefined) for the account from this network and for the network.
   * AppError `too_many_attempts` when either is used up: a right password could be a guess then. A right password
   * begins the account's count anew.
   */
  login<T>(
    attempt: { readonly email: string; readonly visitor: Visitor },
    prove: () => Promise<T | undefined>,
  ): Promise<T | undefined>;
  /**
   * Guesses of a second factor, counted like logins, and those of the account from all networks together. AppError
   * `too_many_attempts`.
   */
  secondFactor<T>(
    attempt: { readonly userId: string; readonly visitor: Visitor },
    prove: () => Promise<T | undefined>,
  ): Promise<T | undefined>;
  /**
   * Guesses of who is signed in already: five a day of each kind count for the session alone, so that whoever has
   * stolen it uses up nothing that its owner signs in with. Calls `end` at the last one. A right one begins the count
   * of its kind anew. AppError `too_many_attempts`.
   */
  inSession<T>(
    attempt: {
      readonly sessionId: string;
      readonly kind: 'password' | 'factor';
      readonly visitor: Visitor;
      readonly end: () => Promise<void>;
    },
    prove: () => Promise<T | undefined>,
  ): Promise<T | undefined>;
  /**
   * Lets the owner in from this network after a reset by mail: guesses at the password before are worth nothing.
   * Guesses at a second factor stay counted: whoever reads the mailbox could reset as often as they like.
   */
  passwordReset(account: { readonly email: string; readonly visitor: Visitor }): Promise<void>;
  /**
   * Proves a client. A client's secret cannot be guessed, so a right proof is never refused, however often it is
   * shown and whatever others show. AppError `too_many_attempts` in place of undefined where too many have failed.
   */
  clientProof<T>(
    attempt: { readonly clientId: string; readonly visitor: Visitor },
    prove: () => Promise<T | undefined>,
  ): Promise<T | undefined>;
  /** The same for a token that came by mail, or a passkey: of one network. */
  mailedToken<T>(visitor: Visitor, prove: () => Promise<T | undefined>): Promise<T | undefined>;
  /** Asking for a mail: of one network. AppError `too_many_attempts`. */
  forgot(visitor: Visitor): Promise<void>;
  /** Asking for a challenge, which is stored: of one network. AppError `too_many_attempts`. */
  challenge(visitor: Visitor): Promise<void>;
  /**
   * Asking for an address, of one network. A taken one costs more: asking for them one by one is a way to learn who has
   * an account. AppError `too_many_attempts`.
   */
  register(visitor: Visitor, isTaken: () => Promise<boolean>): Promise<boolean>;
  /** Deletes counts whose time is over. */
  deleteEnded(): Promise<void>;
}

export interface AccessTokens {
  /** Seconds that every token lives. */
  readonly lifetimeS: number;
  /** Says that the address is not verified where that is required (`requireVerifiedEmail`). */
  forUser(
    user: TokenSession & { readonly role: Role; readonly isUnverified: boolean },
  ): Promise<string>;
  forService(service: {
    readonly clientId: string;
    readonly audience: string;
    readonly scopes: readonly string[];
  }): Promise<string>;
  /** Signs a token of a user, for whom the client has opened a portal; it may live for a shorter time. */
  forPortal(portal: {
    readonly userId: string;
    readonly clientId: string;
    /** The portal whose end ends the token. */
    readonly portalId: string;
    readonly scopes: readonly string[];
    readonly lifetimeS: number;
  }): Promise<string>;
}
