import type { IssuerWord } from '../../domain/session/issuer-word.js';
import type { RefreshTokenFacts } from '../../domain/session/refresh-token.js';

/** The user and session of an access token. */
export interface SessionCaller {
  readonly userId: string;
  readonly sessionId: string;
}

export interface NewRefreshToken {
  readonly token: string;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** How the second factor was shown in a session, and when last. */
export interface FactorShown {
  readonly provedAt: Date;
  /** Authentication methods (RFC 8176). */
  readonly amr: readonly string[];
}

/** When the user of a session last showed who they are, and how the second factor was shown. */
export interface Authentication {
  /** The beginning of the session, or a later proof. A refresh is none. */
  readonly authenticatedAt: Date;
  /** Absent when the user has no second factor. */
  readonly proof?: FactorShown | undefined;
}

/** Without a time of authentication its tokens do nothing that wants a recent one. */
export interface TokenSession extends Partial<Authentication> {
  readonly userId: string;
  readonly sessionId: string;
}

export interface Sessions {
  /** The factor was shown again. Does nothing for a session that is over. */
  proveFactor(sessionId: string, proof: FactorShown): Promise<void>;
  /** The password was shown again. Does nothing for a session that is over. */
  provePassword(sessionId: string, at: Date): Promise<void>;
  /** Returns undefined when the session is over. */
  authentication(sessionId: string): Promise<Authentication | undefined>;
  /** The issuer says that the same user is signed in there. Does nothing for a session that is over. */
  issuerConfirmed(sessionId: string, at: Date): Promise<void>;
  /** The issuer was to be asked, and does not answer. Does nothing for a session that is over. */
  issuerAway(sessionId: string, at: Date): Promise<void>;
  /** The session a refresh token belongs to, spent or not. */
  ofRefreshToken(token: string): Promise<{ sessionId: string; userId: string } | undefined>;
  /** The oldest sessions of a user beyond the newest `keep`. */
  beyond(userId: string, keep: number): Promise<readonly string[]>;
  /** Is there no live session of this id and this user? */
  isOver(sessionId: string, userId: string): Promise<boolean>;
  /** Deletes successors of tokens that were spent before this moment. */
  deleteSuccessors(spentBefore: Date): Promise<void>;
  deleteSpentTokens(now: Date): Promise<void>;
  /** Sessions whose newest token expired unused: nothing can continue them. */
  expired(now: Date): Promise<readonly string[]>;
}

export interface OwnedSession {
  readonly sessionId: string;
  readonly version: number;
}

export interface SessionTable {
  /** Lists the live sessions of a user. */
  ofUser(userId: string): Promise<readonly OwnedSession[]>;
  /** Adds what no event says of a session that was started in this transaction. */
  add(session: SessionDetails): Promise<void>;
  isAlive(sessionId: string, userId: string): Promise<boolean>;
  /** Returns what a login of the user must have shown. */
  demandsOf(userId: string): Promise<Demands>;
}

export interface SessionDetails {
  readonly sessionId: string;
  readonly first: NewRefreshToken;
  /** The device of the session, as its user would recognise it. */
  readonly device: string | undefined;
  /** Undefined when the user has no second factor. */
  readonly proof: FactorShown | undefined;
}

export interface Demands {
  /** Undefined when the user has no password here. */
  readonly passwordHash: string | undefined;
  readonly hasFactor: boolean;
  /** Whether the user has deleted the account: nothing signs in to it. */
  readonly isClosed: boolean;
}

export interface SessionProofTable {
  /** Deletes the proofs of a second factor in all sessions of the user. */
  delete(userId: string): Promise<void>;
}

/** Refresh tokens, by their hashes. */
export interface RefreshTokenTable {
  /**
   * Locks the session of a token, so that exchanges come one at a time, and a log-out before or after them. Undefined
   * when there is no such token, or its session is over.
   */
  lockSession(token: string): Promise<LockedSession | undefined>;
  /** Finds a token of a session that is locked. */
  find(token: string): Promise<StoredRefreshToken | undefined>;
  /** Marks a token as spent, keeps its successor beside it, sealed, and adds the successor. */
  exchange(token: string, sessionId: string, successor: NewRefreshToken): Promise<void>;
}

export interface LockedSession {
  readonly sessionId: string;
  readonly userId: string;
  /** The trusted issuer whose user this is; undefined for a user of our own. */
  readonly issuer: { readonly id: string; readonly word: IssuerWord } | undefined;
}

export interface StoredRefreshToken extends RefreshTokenFacts {
  /** Undefined when the token was not spent, or the time to ask for its successor again is over. */
  readonly successor: string | undefined;
}
