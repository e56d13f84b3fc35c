import type { StreamAppend } from '@junction/eventsourcing';
import type { AuthEvent } from '../../domain/auth-event.js';

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
  /** The token is good, and the trusted issuer whose user this is has to be asked first. Nothing was exchanged. */
  | { readonly kind: 'unconfirmed'; readonly sessionId: string; readonly issuerId: string }
  | { readonly kind: 'unknown' };

export interface NewSession {
  readonly userId: string;
  /**
   * The hash of the password that was shown, or that counted before a factor was shown; undefined where the user has
   * none.
   */
  readonly passwordHash: string | undefined;
  readonly sessionId: string;
  readonly first: NewRefreshToken;
  /** Absent: the user has no second factor. */
  readonly proof?: FactorShown | undefined;
  /** The device of the session, as its user would recognise it. */
  readonly device: string | undefined;
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
  /**
   * Events and first refresh token, both or neither; false when the user is gone, has another password by now, or a
   * second factor of which the session brings no proof.
   */
  start(append: StreamAppend<AuthEvent>, session: NewSession): Promise<boolean>;
  /** The factor was shown again. Does nothing for a session that is over. */
  proveFactor(sessionId: string, proof: FactorShown): Promise<void>;
  /** The password was shown again. Does nothing for a session that is over. */
  provePassword(sessionId: string, at: Date): Promise<void>;
  /** Undefined: the session is over. */
  authentication(sessionId: string): Promise<Authentication | undefined>;
  /** `until`: the end of the access token that is to come with the successor. */
  rotate(presented: string, successor: NewRefreshToken, until: Date): Promise<Rotation>;
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
  deleteSuccessors(now: Date): Promise<void>;
  deleteSpentTokens(now: Date): Promise<void>;
  /** Sessions whose newest token expired unused: nothing can continue them. */
  expired(now: Date): Promise<readonly string[]>;
}
