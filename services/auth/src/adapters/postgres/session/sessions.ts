import type pg from 'pg';
import { hashOfSecret } from '../../../application/secret-hash.js';
import type {
  LiveSession,
  OwnedSession,
  SessionProofTable,
  Sessions,
  SessionTable,
} from '../../../application/session/ports.js';
import { deleteSpentTokens, deleteSuccessors, expiredSessions } from '../sweep.js';
import { sessionConfirmations } from './session-confirmations.js';
import { sessionFactors } from './session-factors.js';

export const postgresSessions = (pool: pg.Pool): Sessions => ({
  ...sessionFactors(pool),

  ...sessionConfirmations(pool),

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
  isOver: async (sessionId, userId) => !(await isAlive(pool, sessionId, userId)),

  deleteSuccessors: (spentBefore) => deleteSuccessors(pool, spentBefore),
  deleteSpentTokens: (now) => deleteSpentTokens(pool, now),
  expired: (now) => expiredSessions(pool, now),
});

export const sessionTable = (tx: pg.ClientBase): SessionTable => ({
  async ofUser(userId) {
    const { rows } = await tx.query<OwnedSession>(
      'select session_id as "sessionId", version from sessions where user_id = $1',
      [userId],
    );
    return rows;
  },

  async add({ sessionId, first: { token, issuedAt, expiresAt }, device, proof }) {
    await tx.query({
      name: 'auth/add-session',
      text: ADD,
      values: [
        sessionId,
        hashOfSecret(token),
        issuedAt,
        expiresAt,
        device,
        proof?.provedAt,
        proof?.amr,
      ],
    });
  },

  isAlive: async (sessionId, userId) => isAlive(tx, sessionId, userId),

  async demandsOf(userId) {
    const { rows } = await tx.query<{ passwordHash: string | null; hasFactor: boolean }>({
      name: 'auth/demands-of-login',
      text: DEMANDS,
      values: [userId],
    });
    const { passwordHash, hasFactor = false } = rows[0] ?? {};
    return { passwordHash: passwordHash ?? undefined, hasFactor };
  },
});

export const sessionProofTable = (tx: pg.ClientBase): SessionProofTable => ({
  async delete(userId) {
    await tx.query(
      `delete from session_factors where session_id in (select session_id from sessions where user_id = $1)`,
      [userId],
    );
  },
});

const ADD = `
with device as (
       insert into session_devices (session_id, device)
       select $1, $5 where $5::text is not null),
     proof as (
       insert into session_factors (session_id, proved_at, amr)
       select $1, $6, $7::text[] where $6::timestamptz is not null)
insert into refresh_tokens (session_id, token_hash, issued_at, expires_at)
values ($1, $2, $3, $4)`;

const DEMANDS = `
select (select hash from passwords where user_id = $1) as "passwordHash",
       exists (select from totp_secrets where user_id = $1 and confirmed_at is not null)
         or exists (select from passkeys where user_id = $1) as "hasFactor"`;

async function isAlive(db: pg.Pool | pg.ClientBase, sessionId: string, userId: string) {
  const { rowCount } = await db.query({
    name: 'auth/session-alive',
    text: 'select from sessions where session_id = $1 and user_id = $2',
    values: [sessionId, userId],
  });
  return rowCount === 1;
}

async function liveSessions(pool: pg.Pool, userId: string): Promise<readonly LiveSession[]> {
  const { rows } = await pool.query<LiveSession & { readonly device: string | null }>(
    LIVE_SESSIONS,
    [userId],
  );
  return rows.map(({ device, ...session }) => ({ ...session, device: device ?? undefined }));
}

const LIVE_SESSIONS = `
select s.session_id as "sessionId", s.started_at as "startedAt", d.device,
       coalesce((select max(t.issued_at) from refresh_tokens t where t.session_id = s.session_id),
                s.started_at) as "lastUsedAt"
  from sessions s left join session_devices d using (session_id)
 where s.user_id = $1
 order by "lastUsedAt" desc, s.session_id desc`;

async function sessionsBeyond(
  pool: pg.Pool,
  userId: string,
  keep: number,
): Promise<readonly string[]> {
  const { rows } = await pool.query<{ sessionId: string }>({
    name: 'auth/sessions-beyond',
    text: `select session_id as "sessionId" from sessions where user_id = $1
              order by started_at desc, session_id desc offset $2`,
    values: [userId, keep],
  });
  return rows.map(({ sessionId }) => sessionId);
}
