import type { Role } from '../../domain/user/events.js';

/** A user as operators see one. The address is masked before it is shown. */
export interface ListedUser {
  readonly id: string;
  /** Null of a trusted issuer's user. */
  readonly email: string | null;
  /** The trusted issuer whose user this is; null: our own. */
  readonly origin: string | null;
  readonly createdAt: Date;
  readonly emailVerifiedAt: Date | null;
  readonly role: Role;
  /** When the user deleted the account, which can be brought back; null: it is open. */
  readonly closedAt: Date | null;
}

export interface CountedUser extends ListedUser {
  readonly sessions: number;
  readonly apiKeys: number;
}

export interface UserPage {
  readonly email?: string | undefined;
  /** The user after whom the page begins, going back in time; absent for the first page. */
  readonly before?: { readonly createdAt: Date; readonly id: string } | undefined;
  readonly limit: number;
}

export interface UserDirectory {
  /** Newest first. */
  list(page: UserPage): Promise<readonly ListedUser[]>;
  find(userId: string): Promise<CountedUser | undefined>;
}
