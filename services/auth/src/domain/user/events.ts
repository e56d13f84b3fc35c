import type { Event } from '@junction/eventsourcing';

export type SecondFactor = 'totp' | 'passkey';

export interface NamedFactor {
  readonly factor: SecondFactor;
  /** Absent but for a passkey, of which a user may have several. */
  readonly passkeyId?: string | undefined;
}

/**
 * The way a password was changed: by somebody who knew the password before, or who has the mailbox and used the link
 * of a reset or of an undo.
 */
export type PasswordChange = 'changed' | 'reset' | 'undo';

/** Why a factor was added or removed, or the address changed, other than by the user's own wish. */
export type NotByUser = 'operator' | 'undo';

/** The end, outside of the account, of what somebody else may have made who was in it. */
export interface Recovery {
  readonly reason: 'reset' | 'undo';
  /** Absent: all of the user. */
  readonly webhookIds?: readonly string[] | undefined;
  readonly portalIds: readonly string[];
}

/** Operators may ask the operators' routes of each service. Accounts begin as users. */
export type Role = 'user' | 'operator';

/**
 * Stored forever: add types and fields, but never rename one or give it a second meaning.
 * `email` is a personal field: sealed with the user's own key wherever it is stored, and gone with it.
 */
export type UserEvent =
  /** With an address and a password, or with the trusted issuer (its id) whose user this is. */
  | Event<
      'user.registered',
      { userId: string; email?: string | undefined; origin?: string | undefined; at: string }
    >
  | Event<'user.email_verified', { userId: string; at: string }>
  | Event<
      'user.email_changed',
      { userId: string; email: string; reason?: 'undo' | undefined; at: string }
    >
  | Event<'user.password_changed', { userId: string; reason: PasswordChange; at: string }>
  | Event<
      'user.second_factor_added',
      NamedFactor & { userId: string; reason?: 'undo' | undefined; at: string }
    >
  | Event<
      'user.second_factor_removed',
      NamedFactor & { userId: string; reason?: NotByUser | undefined; at: string }
    >
  | Event<'user.recovery_codes_generated', { userId: string; at: string }>
  /** `by`: the client of the operator who did it. */
  | Event<'user.role_changed', { userId: string; role: Role; by: string; at: string }>
  | Event<'user.recovery_code_used', { userId: string; at: string }>
  /** The counter of a passkey went back: a copy of the passkey may exist. */
  | Event<'user.passkey_suspected', { userId: string; passkeyId: string; at: string }>
  /** Whether the user wants mails about webhooks and connections that need them; until then they do. */
  | Event<'user.trouble_mails_changed', { userId: string; wanted: boolean; at: string }>
  /** The account is its owner's again: whose portals were closed, and whose webhooks are to be disabled. */
  | Event<'user.recovered', Recovery & { userId: string; at: string }>
  /** The user has deleted the account, and can bring it back by a link until it is deleted for good. */
  | Event<'user.closed', { userId: string; at: string }>
  | Event<'user.reopened', { userId: string; at: string }>
  | Event<'user.deleted', { userId: string; at: string }>;
