import type pg from 'pg';
import { sessionOver } from '../../application/session/session-over.js';

/**
 * Locks the user's row until the commit, and demands that the session of the request, if there is one, is alive. A
 * transaction that ends the sessions of an account locks the same row: either it comes first and this check sees the
 * end, or it comes later and finds what was done here. AppError `invalid_token`.
 */
export async function lockWithSession(
  tx: pg.ClientBase,
  userId: string,
  sessionId: string | undefined,
): Promise<void> {
  await tx.query('select from users where user_id = $1 for no key update', [userId]);
  if (sessionId === undefined) return;
  const { rowCount } = await tx.query(
    'select from sessions where session_id = $1 and user_id = $2',
    [sessionId, userId],
  );
  if (rowCount === 0) throw sessionOver();
}
