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
  /** Absent: the user has no second factor. */
  readonly proof?: FactorShown | undefined;
}

/** Without a time of authentication its tokens do nothing that wants a recent one. */
export interface TokenSession extends Partial<Authentication> {
  readonly userId: string;
  readonly sessionId: string;
}

export interface LiveSession {
  readonly sessionId: string;
  readonly startedAt: Date;
  /** The moment of the latest refresh, or of the session's beginning. */
  readonly lastUsedAt: Date;
  readonly device: string | undefined;
}

export interface Sessions {
  /** The factor was shown again. Does nothing for a session that is over. */
  proveFactor(sessionId: string, proof: FactorShown): Promise<void>;
  /** The password was shown again. Does nothing for a session that is over. */
  provePassword(sessionId: string, at: Date): Promise<void>;
  /** Undefined: the session is over. */
  authentication(sessionId: string): Promise<Authentication | undefined>;
  /** The issuer says that the same user is signed in there. Does nothing for a session that is over. */
  issuerConfirmed(sessionId: string, at: Date): Promise<void>;
  /** The issuer was to be asked, and does not answer. Does nothing for a session that is over. */
  issuerAway(sessionId: string, at: Date): Promise<void>;
  /** Lists live sessions, the last used first. */
  list(userId: string): Promise<readonly LiveSession[]>;
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
