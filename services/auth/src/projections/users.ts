import type { Projection } from '@junction/eventsourcing';
import type { UserEvent } from '../domain/user/events.js';

/** The columns of `users`. */
export interface UserRow {
  readonly user_id: string;
  readonly version: number;
  readonly email: string;
  readonly created_at: string;
}

/** Who exists, by address. */
export const users: Projection<UserRow, UserEvent> = {
  table: 'users',
  key: 'user_id',
  aggregate: 'user',

  evolve(_, { type, data }, { version }) {
    switch (type) {
      case 'user.registered': {
        const { userId, email, at } = data;
        return { user_id: userId, version, email, created_at: at };
      }
      case 'user.deleted':
        return undefined;
    }
  },
};
