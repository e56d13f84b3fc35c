import { AppError } from '@junction/errors';
import type { Command, Decider } from '@junction/eventsourcing';
import type { RevocationReason, SessionEvent } from './events.js';

/** `at` is ISO 8601 in UTC. */
export type SessionCommand =
  | Command<'StartSession', { sessionId: string; userId: string; at: string }>
  | Command<'RevokeSession', { reason: RevocationReason; at: string }>;

export type Session =
  | { readonly status: 'unknown' }
  | { readonly status: 'active'; readonly sessionId: string; readonly userId: string }
  | { readonly status: 'revoked' };

export const sessionDecider: Decider<Session, SessionCommand, SessionEvent> = {
  initialState: { status: 'unknown' },
  decide,
  evolve,
};

function decide(command: SessionCommand, session: Session): readonly SessionEvent[] {
  switch (command.type) {
    case 'StartSession': {
      if (session.status !== 'unknown') {
        throw new AppError('session_exists', 'This session id is taken; log in again.');
      }
      const { sessionId, userId, at } = command.data;
      return [{ type: 'session.started', data: { sessionId, userId, at } }];
    }

    case 'RevokeSession': {
      // Log-out, reuse and deletion may meet: the first reason is the true one.
      if (session.status !== 'active') return [];
      const { sessionId, userId } = session;
      const { reason, at } = command.data;
      return [{ type: 'session.revoked', data: { sessionId, userId, reason, at } }];
    }
  }
}

function evolve(_: Session, event: SessionEvent): Session {
  switch (event.type) {
    case 'session.started': {
      const { sessionId, userId } = event.data;
      return { status: 'active', sessionId, userId };
    }
    case 'session.revoked':
      return { status: 'revoked' };
  }
}
