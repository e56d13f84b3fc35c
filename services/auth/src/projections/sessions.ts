import type { Projection } from '@junction/eventsourcing';
import type { SessionEvent } from '../domain/session/events.js';

/** The columns of `sessions`. */
export interface SessionRow {
  readonly session_id: string;
  readonly version: number;
  readonly user_id: string;
  readonly started_at: string;
}

/** Sessions that are alive: an access token counts while the row of its session is there. */
export const sessions: Projection<SessionRow, SessionEvent> = {
  table: 'sessions',
  key: 'session_id',
  aggregate: 'session',

  evolve(_, { type, data }, { version }) {
    switch (type) {
      case 'session.started': {
        const { sessionId, userId, at } = data;
        return { session_id: sessionId, version, user_id: userId, started_at: at };
      }
      case 'session.revoked':
        return undefined;
    }
  },
};
