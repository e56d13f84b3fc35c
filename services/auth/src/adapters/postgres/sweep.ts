import type pg from 'pg';

const BATCH_MAX = 500;

/** Successors of tokens spent before that moment: nobody may ask for them again. */
export async function deleteSuccessors(pool: pg.Pool, spentBefore: Date): Promise<void> {
  await pool.query(
    `update refresh_tokens set successor_sealed = null
      where token_hash in (
        select token_hash from refresh_tokens
         where successor_sealed is not null and rotated_at < $1
         limit ${BATCH_MAX} for update skip locked
      )`,
    [spentBefore],
  );
}

/** Spent tokens that have expired. The newest of a session stays, as the sign that the session is over. */
export async function deleteSpentTokens(pool: pg.Pool, now: Date): Promise<void> {
  await pool.query(
    `delete from refresh_tokens
      where token_hash in (
        select token_hash from refresh_tokens
         where expires_at < $1 and rotated_at is not null
         limit ${BATCH_MAX} for update skip locked
      )`,
    [now],
  );
}

/** Sessions whose newest token expired unused: nothing can bring them back. */
export async function expiredSessions(pool: pg.Pool, now: Date): Promise<readonly string[]> {
  const { rows } = await pool.query<{ sessionId: string }>(
    `select session_id as "sessionId" from refresh_tokens
      where expires_at < $1 and rotated_at is null
      order by expires_at limit ${BATCH_MAX}`,
    [now],
  );
  return rows.map(({ sessionId }) => sessionId);
}
