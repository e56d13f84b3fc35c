import type pg from 'pg';

/**
 * Deletes the dead letters about a user, in the caller's transaction: their payloads may speak of the person. Returns
 * how many there were.
 */
export async function deleteDeadLetters(tx: pg.ClientBase, userId: string): Promise<number> {
  const { rowCount } = await tx.query('delete from dead_letters where user_id = $1', [userId]);
  return rowCount ?? 0;
}
