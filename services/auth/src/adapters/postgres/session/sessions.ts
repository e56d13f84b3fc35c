import { type Queryable, statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import { accountGone } from '../../../application/me.js';
import { hashOfSecret } from '../../../application/secret-hash.js';
import type {
  AccountOfSession,
  OwnedSession,
  SessionDetails,
} from '../../../application/session/ports.js';
import { HAS_FACTOR } from '../factor-state.js';
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

  /**
   * Adds what no event says of a session that was started in this transaction. Returns what the account demands of it
   * and says of its user: its row has waited for whoever was changing the account.
   */
  async add({ sessionId, userId, first, device, proof, othersMax }: SessionDetails) {
    const { token, issuedAt, expiresAt } = first;
    const { rows } = await insertSession(tx, {
      session_id: sessionId,
      user_id: userId,
      token_hash: hashOfSecret(token),
      issued_at: issuedAt,
      expires_at: expiresAt,
      device: device ?? null,
      proved_at: proof?.provedAt ?? null,
      amr: proof?.amr ?? null,
      others_max: othersMax,
    });
    const [row] = rows;
    if (row === undefined) throw accountGone();
    return row;
  },

  isAlive: async (sessionId: string, userId: string) => isAlive(tx, sessionId, userId),
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

const insertSession = statement<AccountOfSession>(
  `
with device as (
       insert into session_devices (session_id, device)
       select :session_id, :device where :device::text is not null),
     proof as (
       insert into session_factors (session_id, proved_at, amr)
       select :session_id, :proved_at, :amr::text[] where :proved_at::timestamptz is not null),
     token as (
       insert into refresh_tokens (session_id, token_hash, issued_at, expires_at)
       values (:session_id, :token_hash, :issued_at, :expires_at))
select email, email_verified_at as "emailVerifiedAt", role, closed_at is not null as "isClosed",
       (select hash from passwords where user_id = :user_id) as "passwordHash",
       ${HAS_FACTOR} as "hasFactor",
       array(select session_id from sessions where user_id = :user_id and session_id <> :session_id
              order by started_at desc, session_id desc offset :others_max) as superseded
  from users u where user_id = :user_id`,
  'auth/add-session',
);

const deleteFactors = statement(`
delete from session_factors
 where session_id in (select session_id from sessions where user_id = :user_id)`);

const findLive = statement(
  'select from sessions where session_id = :session_id and user_id = :user_id',
  'auth/session-alive',
);
