import { AppError } from '@junction/errors';
import type { Command, Decider } from '@junction/eventsourcing';
import type { UserEvent } from './events.js';

/** `at` is ISO 8601 in UTC. */
export type UserCommand =
  | Command<'RegisterUser', { userId: string; email: string; at: string }>
  | Command<'DeleteUser', { at: string }>;

export type User =
  | { readonly status: 'unknown' }
  | { readonly status: 'registered'; readonly userId: string }
  | { readonly status: 'deleted' };

export const userDecider: Decider<User, UserCommand, UserEvent> = {
  initialState: { status: 'unknown' },
  decide,
  evolve,
};

function decide(command: UserCommand, user: User): readonly UserEvent[] {
  switch (command.type) {
    case 'RegisterUser': {
      if (user.status !== 'unknown') {
        throw new AppError('conflict', 'user_exists', 'This user id is taken; register again.');
      }
      const { userId, email, at } = command.data;
      return [{ type: 'user.registered', data: { userId, email, at } }];
    }

    case 'DeleteUser': {
      if (user.status !== 'registered') return [];
      return [{ type: 'user.deleted', data: { userId: user.userId, at: command.data.at } }];
    }
  }
}

function evolve(_: User, event: UserEvent): User {
  switch (event.type) {
    case 'user.registered':
      return { status: 'registered', userId: event.data.userId };
    case 'user.deleted':
      return { status: 'deleted' };
  }
}
