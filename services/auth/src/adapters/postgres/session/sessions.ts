import { type Queryable, statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import { hashOfSecret } from '../../../application/secret-hash.js';
import type { OwnedSession, SessionDetails } from '../../../application/session/ports.js';
import { deleteSpentTokens, deleteSuccessors, expiredSessions } from '../sweep.js';
import { sessionConfirmations } from './session-confirmations.js';
import { sessionFactors } from './session-factors.js';

export const postgresSessions = (pool: pg.Pool) => ({
  ...sessionFactors(pool),

  ...sessionConfirmations(pool),

  /** The session a refresh token belongs to, spent or not. */
  async ofRefreshToken(token: string) {
    return (await findByToken(pool, { token_hash: hashOfSecret(token) })).rows[0];
  },

  /** The oldest sessions of a user beyond the newest `keep`. */
  async beyond(userId: string, keep: number) {
    const { rows } = await findBeyond(pool, { user_id: userId, keep });
    return rows.map(({ sessionId }) => sessionId);
  },

  // Each request needs this indexed read.
  /** Is there no live session of this id and this user? */
  isOver: async (sessionId: string, userId: string) => !(await isAlive(pool, sessionId, userId)),

  /** Deletes successors of tokens that were spent before this moment. */
  deleteSuccessors: (spentBefore: Date) => deleteSuccessors(pool, spentBefore),
  deleteSpentTokens: (now: Date) => deleteSpentTokens(pool, now),
  /** Sessions whose newest token expired unused: nothing can continue them. */
  expired: (now: Date) => expiredSessions(pool, now),
});

export const sessionTable = (tx: pg.ClientBase) => ({
  /** Lists the live sessions of a user. */
  async ofUser(userId: string) {
    return (await ownedSessions(tx, { user_id: userId })).rows;
  },

  /** Adds what no event says of a session that was started in this transaction. */
  async add({ sessionId, first: { token, issuedAt, expiresAt }, device, proof }: SessionDetails) {
    await insertSession(tx, {
      session_id: sessionId,
      token_hash: hashOfSecret(token),
      issued_at: issuedAt,
      expires_at: expiresAt,
      device: device ?? null,
      proved_at: proof?.provedAt ?? null,
      amr: proof?.amr ?? null,
    });
  },

  isAlive: async (sessionId: string, userId: string) => isAlive(tx, sessionId, userId),

  /** Returns what a login of the user must have shown. */
  async demandsOf(userId: string) {
    const { rows } = await findDemands(tx, { user_id: userId });
    const { passwordHash, hasFactor = false, isClosed = false } = rows[0] ?? {};
    return { passwordHash: passwordHash ?? undefined, hasFactor, isClosed };
  },
});

export const sessionProofTable = (tx: pg.ClientBase) => ({
  /** Deletes the proofs of a second factor in all sessions of the user. */
  async delete(userId: string) {
    await deleteFactors(tx, { user_id: userId });
  },
});

async function isAlive(db: Queryable, sessionId: string, userId: string): Promise<boolean> {
  return (await findLive(db, { session_id: sessionId, user_id: userId })).rowCount === 1;
}

const findByToken = statement<{ sessionId: string; userId: string }>(`
select session_id as "sessionId", user_id as "userId"
  from refresh_tokens join sessions using (session_id)
 where token_hash = :token_hash`);

const ownedSessions = statement<OwnedSession>(
  'select session_id as "sessionId", version from sessions where user_id = :user_id',
);

const insertSession = statement(
  `
with device as (
       insert into session_devices (session_id, device)
       select :session_id, :device where :device::text is not null),
     proof as (
       insert into session_factors (session_id, proved_at, amr)
       select :session_id, :proved_at, :amr::text[] where :proved_at::timestamptz is not null)
insert into refresh_tokens (session_id, token_hash, issued_at, expires_at)
values (:session_id, :token_hash, :issued_at, :expires_at)`,
  'auth/add-session',
);

const findDemands = statement<{
  passwordHash: string | null;
  hasFactor: boolean;
  isClosed: boolean;
}>(
  `
select (select hash from passwords where user_id = :user_id) as "passwordHash",
       exists (select from totp_secrets where user_id = :user_id and confirmed_at is not null)
         or exists (select from passkeys where user_id = :user_id) as "hasFactor",
       exists (select from users where user_id = :user_id and closed_at is not null) as "isClosed"`,
  'auth/demands-of-login',
);

const deleteFactors = statement(`
delete from session_factors
 where session_id in (select session_id from sessions where user_id = :user_id)`);

const findLive = statement(
  'select from sessions where session_id = :session_id and user_id = :user_id',
  'auth/session-alive',
);

const findBeyond = statement<{ sessionId: string }>(
  `
select session_id as "sessionId" from sessions where user_id = :user_id
 order by started_at desc, session_id desc offset :keep`,
  'auth/sessions-beyond',
);
