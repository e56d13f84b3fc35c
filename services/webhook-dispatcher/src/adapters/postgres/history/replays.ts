import { AppError } from '@junction/errors';
import type pg from 'pg';
import type { ReplayCount, ReplayOperation, ReplaySpan } from '../../../application/replay.js';
import { toStoredId } from '../stored-id.js';
import { type OperationRow, one, toOperation } from './operation-row.js';

const UNIQUE_VIOLATION = '23505';

/** Replays as rows: asked for, looked at, ended. */
export const replays = (pool: pg.Pool) => ({
  /** AppError `replay_under_way` while one of this webhook runs: another need not be counted to be refused. */
  async requireNone(webhookId: string): Promise<void> {
    const { rowCount } = await pool.query(
      `select from operations where webhook_id = $1 and status = 'running'`,
      [toStoredId(webhookId)],
    );
    if (rowCount !== 0) throw underWay();
  },

  /** AppError `replay_under_way` while another one of this webhook runs. */
  async begin(
    operationId: string,
    { userId, webhookId }: { readonly userId: string; readonly webhookId: string },
    span: ReplaySpan,
    { count, isExact }: ReplayCount,
  ): Promise<ReplayOperation> {
    const { rows } = await pool
      .query<OperationRow>(BEGIN, [
        toStoredId(operationId),
        userId,
        toStoredId(webhookId),
        span.from,
        span.to,
        span.kinds ?? null,
        span.outcomes,
        count,
        isExact,
      ])
      .catch((error: unknown) => {
        throw (error as { code?: string }).code === UNIQUE_VIOLATION ? underWay(error) : error;
      });
    return toOperation(one(rows));
  },

  async find(userId: string, operationId: string): Promise<ReplayOperation | undefined> {
    const { rows } = await pool.query<OperationRow>(
      'select * from operations where operation_id = $1 and user_id = $2',
      [toStoredId(operationId), userId],
    );
    return rows[0] && toOperation(rows[0]);
  },

  /** What was sent stays sent. Gives false for one that is not this user's. */
  async cancel(userId: string, operationId: string): Promise<boolean> {
    const { rowCount } = await pool.query(
      `with cancelled as (
         update operations set status = 'cancelled', reason = 'user', ended_at = now()
          where operation_id = $1 and user_id = $2 and status = 'running')
       select from operations where operation_id = $1 and user_id = $2`,
      [toStoredId(operationId), userId],
    );
    return rowCount === 1;
  },
});

const BEGIN = `
insert into operations (operation_id, user_id, webhook_id, status, from_at, to_at, kinds, outcomes,
                        counted, count_is_exact, begin_after)
values ($1, $2, $3, 'running', $4, $5, $6, $7, $8, $9, pg_current_xact_id())
returning *`;

const underWay = (cause?: unknown) =>
  new AppError(
    'conflict',
    'replay_under_way',
    'A replay of this webhook is under way. Wait until it has ended, or cancel it.',
    { cause },
  );
