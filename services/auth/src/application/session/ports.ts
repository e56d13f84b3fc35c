import type { User } from '../account/ports.js';

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
  /** The account, where it was read with the session; absent: it is still to be read. */
  readonly account?: Pick<User, 'email' | 'emailVerifiedAt' | 'role'>;
}

export interface OwnedSession {
  readonly sessionId: string;
  readonly version: number;
}

export interface SessionDetails {
  readonly sessionId: string;
  readonly userId: string;
  readonly first: NewRefreshToken;
  /** The device of the session, as its user would recognise it. */
  readonly device: string | undefined;
  /** Undefined when the user has no second factor. */
  readonly proof: FactorShown | undefined;
  /** Maximum of other sessions that the user keeps. */
  readonly othersMax: number;
}

/** The account of a user whose session begins. */
export interface AccountOfSession extends Pick<User, 'email' | 'emailVerifiedAt' | 'role'> {
  readonly isClosed: boolean;
  /** Null when the user has no password here. */
  readonly passwordHash: string | null;
  readonly hasFactor: boolean;
  /** The user's oldest sessions, which are too many. */
  readonly superseded: readonly string[];
}
