import { statement } from '@junction/eventsourcing/postgres';
import type pg from 'pg';

const BATCH_MAX = 500;

/** Successors of tokens spent before that moment: nobody may ask for them again. */
export async function deleteSuccessors(pool: pg.Pool, spentBefore: Date): Promise<void> {
  await eraseSuccessors(pool, { spent_before: spentBefore });
}

/** Spent tokens that have expired. The newest of a session stays, as the sign that the session is over. */
export async function deleteSpentTokens(pool: pg.Pool, now: Date): Promise<void> {
  await deleteSpent(pool, { now });
}

/** Sessions whose newest token expired unused: nothing can bring them back. */
export async function expiredSessions(pool: pg.Pool, now: Date): Promise<readonly string[]> {
  const { rows } = await findExpired(pool, { now });
  return rows.map(({ sessionId }) => sessionId);
}

const eraseSuccessors = statement(`
update refresh_tokens set successor_sealed = null
 where token_hash in (
   select token_hash from refresh_tokens
    where successor_sealed is not null and rotated_at < :spent_before
    limit ${BATCH_MAX} for update skip locked
 )`);

const deleteSpent = statement(`
delete from refresh_tokens
 where token_hash in (
   select token_hash from refresh_tokens
    where expires_at < :now and rotated_at is not null
    limit ${BATCH_MAX} for update skip locked
 )`);

const findExpired = statement<{ sessionId: string }>(`
select session_id as "sessionId" from refresh_tokens
 where expires_at < :now and rotated_at is null
 order by expires_at limit ${BATCH_MAX}`);
