import { inTransaction, type PostgresEventStore } from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import { hashOfSecret } from '../../application/secret-hash.js';
import type { LiveSession, Sessions } from '../../application/session/ports.js';
import type { AuthEvent } from '../../domain/auth-event.js';
import { insertToken, type RotationOptions, rotate } from './refresh-token-rotation.js';
import { sessionConfirmations } from './session-confirmations.js';
import { hasFactorIn, saveProof, sessionFactors } from './session-factors.js';
import { deleteSpentTokens, deleteSuccessors, expiredSessions } from './sweep.js';
import { isOwnerGone } from './violation.js';

interface SessionsOptions extends RotationOptions {
  readonly pool: pg.Pool;
  readonly store: PostgresEventStore<AuthEvent>;
}

/** Rolls back a session without a proof, of a user who has a factor. */
const FACTOR_MISSING = new Error('The second factor was not shown.');

export function postgresSessions(options: SessionsOptions): Sessions {
  const { pool, store, reuseWindowMs } = options;
  return {
    async start(append, { userId, sessionId, first, device, proof, passwordHash }) {
      try {
        await store.transact([append], {}, async (tx) => {
          // The row of the session has waited for a change of the password that was under way.
          if (passwordHash !== undefined) await demandPassword(tx, userId, passwordHash);
          await insertToken(tx, sessionId, first);
          if (device !== undefined) await insertDevice(tx, sessionId, device);
          if (proof !== undefined) await saveProof(tx, sessionId, proof);
          else if (await hasFactorIn(tx, sessionId)) throw FACTOR_MISSING;
        });
        return true;
      } catch (error) {
        if (error === FACTOR_MISSING || error === OTHER_PASSWORD) return false;
        if (isOwnerGone(error, 'sessions_user_id_fkey')) return false;
        throw error;
      }
    },

    ...sessionFactors(pool),

    ...sessionConfirmations(pool),

    rotate: (presented, successor, until) =>
      inTransaction(pool, (tx) => rotate(tx, presented, { successor, until }, options)),

    list: async (userId) => liveSessions(pool, userId),

    async ofRefreshToken(token) {
      const { rows } = await pool.query<{ sessionId: string; userId: string }>(
        `select session_id as "sessionId", user_id as "userId"
           from refresh_tokens join sessions using (session_id)
          where token_hash = $1`,
        [hashOfSecret(token)],
      );
      return rows[0];
    },

    beyond: async (userId, keep) => sessionsBeyond(pool, userId, keep),

    // Each request needs this indexed read.
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

interface SessionRow {
  readonly session_id: string;
  readonly started_at: Date;
  readonly last_used_at: Date;
  readonly device: string | null;
}

async function liveSessions(pool: pg.Pool, userId: string): Promise<readonly LiveSession[]> {
  const { rows } = await pool.query<SessionRow>(LIVE_SESSIONS, [userId]);
  return rows.map((row) => ({
    sessionId: row.session_id,
    startedAt: row.started_at,
    lastUsedAt: row.last_used_at,
    device: row.device ?? undefined,
  }));
}

const LIVE_SESSIONS = `
select s.session_id, s.started_at, d.device,
       coalesce((select max(t.issued_at) from refresh_tokens t where t.session_id = s.session_id),
                s.started_at) as last_used_at
  from sessions s left join session_devices d using (session_id)
 where s.user_id = $1
 order by last_used_at desc, s.session_id desc`;

const insertDevice = async (tx: pg.ClientBase, sessionId: string, device: string) =>
  tx.query('insert into session_devices (session_id, device) values ($1, $2)', [sessionId, device]);

/** Rolls back the session of a password that was changed meanwhile. */
const OTHER_PASSWORD = new Error('The password was changed meanwhile.');

async function demandPassword(tx: pg.ClientBase, userId: string, hash: string): Promise<void> {
  const { rowCount } = await tx.query('select from passwords where user_id = $1 and hash = $2', [
    userId,
    hash,
  ]);
  if (rowCount === 0) throw OTHER_PASSWORD;
}

async function sessionsBeyond(
  pool: pg.Pool,
  userId: string,
  keep: number,
): Promise<readonly string[]> {
  const { rows } = await pool.query<{ session_id: string }>({
    name: 'auth/sessions-beyond',
    text: `select session_id from sessions where user_id = $1
              order by started_at desc, session_id desc offset $2`,
    values: [userId, keep],
  });
  return rows.map((row) => row.session_id);
}
