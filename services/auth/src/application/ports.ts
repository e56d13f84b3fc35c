import type { HandleCommand, StreamAppend } from '@junction/eventsourcing';
import type { ApiKeyCommand } from '../domain/api-key/decider.js';
import type { ApiKeyEvent } from '../domain/api-key/events.js';
import type { AuthEvent } from '../domain/auth-event.js';
import type { SessionCommand } from '../domain/session/decider.js';
import type { SessionEvent } from '../domain/session/events.js';
import type { FindServiceAccount } from './service-accounts.js';

/** What the use cases need from the world. Clock, ids and chance are among it. */
export interface Ports {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly apiKeys: ApiKeys;
  readonly handleSession: HandleCommand<SessionCommand, SessionEvent>;
  readonly handleApiKey: HandleCommand<ApiKeyCommand, ApiKeyEvent>;
  readonly passwords: Passwords;
  readonly limits: Limits;
  readonly accessTokens: AccessTokens;
  readonly findServiceAccount: FindServiceAccount;
  readonly now: () => Date;
  readonly newUserId: () => string;
  readonly newSessionId: () => string;
  readonly newKeyId: () => string;
  readonly random: (bytes: number) => Buffer;
}

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

export interface NewRefreshToken {
  readonly token: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

export type Rotation =
  | {
      readonly kind: 'rotated';
      readonly sessionId: string;
      readonly userId: string;
      /** The successor: the one offered, or the one an earlier exchange of the same token got. */
      readonly refreshToken: string;
    }
  | { readonly kind: 'reused'; readonly sessionId: string }
  | { readonly kind: 'unknown' };

export interface NewSession {
  readonly sessionId: string;
  readonly first: NewRefreshToken;
  /** What it is begun on, as its user would recognise it. */
  readonly device: string | undefined;
}

export interface LiveSession {
  readonly sessionId: string;
  readonly startedAt: Date;
  /** Of its latest refresh, or of its beginning. */
  readonly lastUsedAt: Date;
  readonly device: string | undefined;
}

export interface Sessions {
  /** Events and first refresh token, both or neither; false when the user is gone. */
  start(append: StreamAppend<AuthEvent>, session: NewSession): Promise<boolean>;
  rotate(presented: string, successor: NewRefreshToken): Promise<Rotation>;
  /** Those that are alive, the one that was used last first. */
  list(userId: string): Promise<readonly LiveSession[]>;
  /** The session a refresh token belongs to, spent or not. */
  ofRefreshToken(token: string): Promise<{ sessionId: string; userId: string } | undefined>;
  /** The oldest sessions of a user beyond the newest `keep`. */
  beyond(userId: string, keep: number): Promise<readonly string[]>;
  /** Is there no live session of this id and this user? */
  isOver(sessionId: string, userId: string): Promise<boolean>;
  deleteSuccessors(now: Date): Promise<void>;
  deleteSpentTokens(now: Date): Promise<void>;
  /** Sessions whose newest token expired unused: nothing can continue them. */
  expired(now: Date): Promise<readonly string[]>;
}

export interface ApiKeyRow {
  readonly keyId: string;
  readonly userId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: Date;
  /** From then on it is nobody's; null: it does not expire. */
  readonly expiresAt: Date | null;
}

export interface ApiKeys {
  /** Events and hash of the secret, both or neither. Of many asked for at once, `max` are made. */
  create(
    append: StreamAppend<AuthEvent>,
    key: Pick<ApiKeyRow, 'keyId' | 'userId'> & { readonly secretHash: Buffer },
    max: number,
  ): Promise<'created' | 'user_is_gone' | 'too_many'>;
  /** Newest first. */
  list(userId: string): Promise<readonly ApiKeyRow[]>;
  findWithHash(keyId: string): Promise<{ key: ApiKeyRow; secretHash: Buffer } | undefined>;
}

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Works as long without a hash as with one, and then says false. */
  verify(passwordHash: string | undefined, password: string): Promise<boolean>;
}

/** Who asks, before they have shown who they are. */
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

export interface Limits {
  /**
   * Counts an attempt for the account from this network and for the network, and gives both back
   * unless `prove` answers undefined. AppError `too_many_attempts` when either is used up.
   */
  login<T>(
    attempt: { readonly email: string; readonly visitor: Visitor },
    prove: () => Promise<T | undefined>,
  ): Promise<T | undefined>;
  /**
   * The same for a client that shows its secret. Only what failed counts, so that a worker with the right
   * secret is not locked out by how often it asks.
   */
  clientSecret<T>(
    attempt: { readonly clientId: string; readonly visitor: Visitor },
    prove: () => Promise<T | undefined>,
  ): Promise<T | undefined>;
  register(visitor: Visitor): Promise<void>;
  /** Asking for taken addresses one by one is a way to learn who has an account, so it costs more. */
  tookTaken(visitor: Visitor): Promise<void>;
}

export interface AccessTokens {
  /** Seconds that every token lives. */
  readonly lifetimeS: number;
  forUser(user: { readonly userId: string; readonly sessionId: string }): Promise<string>;
  forService(service: {
    readonly clientId: string;
    readonly audience: string;
    readonly scopes: readonly string[];
  }): Promise<string>;
}
