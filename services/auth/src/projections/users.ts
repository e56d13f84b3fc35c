import type { Projection } from '@junction/eventsourcing';
import type { Role, UserEvent } from '../domain/user/events.js';

/** The columns of `users`. */
export interface UserRow {
  readonly user_id: string;
  readonly version: number;
  /** Null: a trusted issuer knows it, we do not. */
  readonly email: string | null;
  /** The trusted issuer whose user this is; null: our own. */
  readonly origin: string | null;
  readonly created_at: string;
  /** When it was shown that the address is read by its user; null: not yet. */
  readonly email_verified_at: string | null;
  readonly role: Role;
  /** Whether the user wants mails about webhooks and connections that need them. */
  readonly trouble_mails: boolean;
  /** When the user deleted the account, which can be brought back; null: it is open. */
  readonly closed_at: string | null;
}

/** The users, by address. */
export const users: Projection<UserRow, UserEvent> = {
  table: 'users',
  key: 'user_id',
  aggregate: 'user',

  evolve(row, { type, data }, { version }) {
    switch (type) {
      case 'user.registered': {
        const { userId, email = null, origin = null, at } = data;
        const times = { created_at: at, email_verified_at: null };
        return {
          user_id: userId,
          version,
          email,
          origin,
          ...times,
          role: 'user',
          trouble_mails: true,
          closed_at: null,
        };
      }
      case 'user.email_verified':
        return row && { ...row, version, email_verified_at: data.at };
      case 'user.email_changed':
        return row && { ...row, version, email: data.email, email_verified_at: data.at };
      case 'user.password_changed':
      case 'user.second_factor_added':
      case 'user.second_factor_removed':
      case 'user.recovery_codes_generated':
      case 'user.recovery_code_used':
      case 'user.passkey_suspected':
      case 'user.recovered':
        return row && { ...row, version };
      case 'user.role_changed':
        return row && { ...row, version, role: data.role };
      case 'user.trouble_mails_changed':
        return row && { ...row, version, trouble_mails: data.wanted };
      case 'user.closed':
        return row && { ...row, version, closed_at: data.at };
      case 'user.reopened':
        return row && { ...row, version, closed_at: null };
      case 'user.deleted':
        return undefined;
    }
  },
};
