import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';

/** How the issuers of trusted issuers' users answer when they are asked again. */
export const sessionConfirmations = (pool: pg.Pool) => ({
  /** The issuer says that the same user is signed in there. Does nothing for a session that is over. */
  async issuerConfirmed(sessionId: string, at: Date) {
    await saveConfirmed(pool, { session_id: sessionId, at });
  },

  /** The issuer was to be asked, and does not answer. Does nothing for a session that is over. */
  async issuerAway(sessionId: string, at: Date) {
    await saveAway(pool, { session_id: sessionId, at });
  },
});

const saveConfirmed = statement(`
insert into session_confirmations (session_id, confirmed_at)
select session_id, :at from sessions where session_id = :session_id
on conflict (session_id) do update set confirmed_at = excluded.confirmed_at, away_at = null`);

const saveAway = statement(`
insert into session_confirmations (session_id, away_at)
select session_id, :at from sessions where session_id = :session_id
on conflict (session_id) do update set away_at = excluded.away_at`);
