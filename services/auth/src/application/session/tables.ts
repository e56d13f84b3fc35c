import type { IssuerWord } from '../../domain/session/issuer-word.js';
import type { RefreshTokenFacts } from '../../domain/session/refresh-token.js';
import type { FactorShown, NewRefreshToken } from './ports.js';

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
  /** Undefined: the user has no second factor. */
  readonly proof: FactorShown | undefined;
}

export interface Demands {
  /** Undefined: the user has no password here. */
  readonly passwordHash: string | undefined;
  readonly hasFactor: boolean;
}

export interface SessionProofTable {
  /** Deletes the proofs of a second factor in all sessions of the user. */
  delete(userId: string): Promise<void>;
}

/** Refresh tokens, by their hashes. */
export interface RefreshTokenTable {
  /**
   * Locks the session of a token, so that exchanges come one at a time, and a log-out before or after them. Undefined:
   * there is no such token, or its session is over.
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
  /** Undefined: the token was not spent, or the time to ask for its successor again is over. */
  readonly successor: string | undefined;
}
