/** An account whose row is locked until the transaction ends. */
export interface LockedAccount {
  readonly userId: string;
  /** Null of a trusted issuer's user. */
  readonly email: string | null;
  /** Whether a mail to the address is known to reach the user. */
  readonly isVerified: boolean;
}

export interface AccountTable {
  /**
   * Locks an account until the transaction ends, against other changes and against logins: a login that has shown the
   * password before waits, and goes on after the change. Undefined for a user who is gone.
   */
  lock(userId: string): Promise<LockedAccount | undefined>;
}
