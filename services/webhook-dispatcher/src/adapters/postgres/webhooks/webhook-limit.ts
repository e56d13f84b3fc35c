import { AppError } from '@junction/errors';
import type pg from 'pg';
import type { WebhookEvent } from '../../../domain/webhook/events.js';

/**
 * Throws AppError `conflict`/`webhook_limit_reached` when these events made one webhook more than a user
 * may have. Counted behind a lock, after the row is there: of two that are made at the same time, one
 * sees the other.
 */
export async function keepWithinLimit(
  tx: pg.ClientBase,
  events: readonly WebhookEvent[],
  max: number,
): Promise<void> {
  const made = events.find(({ type }) => type === 'webhook.configured');
  if (made === undefined) return;
  const { userId } = made.data;
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('webhooks of ' || $1, 0))`, [
    userId,
  ]);
  const { rows } = await tx.query<{ isOver: boolean }>(
    'select count(*) > $2 as "isOver" from webhooks where user_id = $1',
    [userId, max],
  );
  if (rows[0]?.isOver !== true) return;
  throw new AppError(
    'conflict',
    'webhook_limit_reached',
    `A user has at most ${max} webhooks. Delete one that is no longer needed.`,
  );
}
