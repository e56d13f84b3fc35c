import { inTransaction, type PostgresEventStore } from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import type { Sessions } from '../../application/ports.js';
import { hashOfSecret } from '../../application/secret-hash.js';
import type { AuthEvent } from '../../domain/auth-event.js';
import { insertToken, type RotationOptions, rotate } from './refresh-token-rotation.js';
import { deleteSpentTokens, deleteSuccessors, expiredSessions } from './sweep.js';
import { isOwnerGone } from './violation.js';

interface SessionsOptions extends RotationOptions {
  readonly pool: pg.Pool;
  readonly store: PostgresEventStore<AuthEvent>;
}

export function postgresSessions(options: SessionsOptions): Sessions {
  const { pool, store, reuseWindowMs } = options;
  return {
    async start(append, sessionId, first) {
      try {
        await store.transact([append], {}, (tx) => insertToken(tx, sessionId, first));
        return true;
      } catch (error) {
        if (isOwnerGone(error, 'sessions_user_id_fkey')) return false;
        throw error;
      }
    },

    rotate: (presented, successor) =>
      inTransaction(pool, (tx) => rotate(tx, presented, successor, options)),

    async ofRefreshToken(token) {
      const { rows } = await pool.query<{ sessionId: string; userId: string }>(
        `select session_id as "sessionId", user_id as "userId"
           from refresh_tokens join sessions using (session_id)
          where token_hash = $1`,
        [hashOfSecret(token)],
      );
      return rows[0];
    },

    async beyond(userId, keep) {
      const { rows } = await pool.query<{ session_id: string }>({
        name: 'auth/sessions-beyond',
        text: `select session_id from sessions where user_id = $1
                order by started_at desc, session_id desc offset $2`,
        values: [userId, keep],
      });
      return rows.map((row) => row.session_id);
    },

    // Asked with each request; one indexed read.
    async isOver(sessionId, userId) {
      const { rowCount } = await pool.query({
        name: 'auth/session-alive',
        text: 'select from sessions where session_id = $1 and user_id = $2',
        values: [sessionId, userId],
      });
      return rowCount === 0;
    },

    deleteSuccessors: (now) => deleteSuccessors(pool, new Date(now.getTime() - reuseWindowMs)),
    deleteSpentTokens: (now) => deleteSpentTokens(pool, now),
    expired: (now) => expiredSessions(pool, now),
  };
}
