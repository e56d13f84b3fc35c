import type { NamedFactor } from '../../domain/user/events.js';
import type { StoredPasskey } from './ports.js';

/** Authenticators and passkeys of a user together. */
export interface FactorTable {
  /** Lists the factors of a user; an authenticator counts once it is confirmed. */
  list(userId: string): Promise<readonly NamedFactor[]>;
}

/** Secrets of authenticators, sealed. */
export interface TotpTable {
  /** Finds a secret that waits for its first code, offered after this moment. */
  findOffered(userId: string, after: Date): Promise<Buffer | undefined>;
  confirm(userId: string, step: number, at: Date): Promise<void>;
  delete(userId: string): Promise<void>;
}

export interface PasskeyTable {
  /** AppError `invalid_passkey` when an account has this passkey already. */
  add(passkey: Omit<StoredPasskey, 'lastUsedAt'>): Promise<void>;
  /** Deletes a passkey, or all of the user. */
  delete(userId: string, passkeyId?: string): Promise<void>;
}

export interface RecoveryCodeTable {
  /** Deletes a code. Returns false when the user has no such code. */
  take(userId: string, codeHash: Buffer): Promise<boolean>;
  /** Inserts codes in place of all before. */
  replace(userId: string, codeHashes: readonly Buffer[]): Promise<void>;
}

/** Logins that wait for the second factor. */
export interface PendingLoginTable {
  delete(userId: string): Promise<void>;
}
