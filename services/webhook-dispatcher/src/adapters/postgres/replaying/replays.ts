import { AppError } from '@junction/errors';
import { inTransaction } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import { type Page, type PageRequest, pageOf } from '../../../application/page.js';
import type { ReplayOperation, ReplaySpan } from '../../../application/replaying/ports.js';
import { one } from '../../one.js';
import { headNow } from '../attempt-now.js';
import { statement } from '../statement.js';
import { countReplay } from './count-replay.js';
import {
  OPERATION_COLUMNS,
  OPERATION_IDS,
  type OperationRow,
  toOperation,
} from './operation-row.js';

const UNIQUE_VIOLATION = '23505';

/** Replays as rows: asked for, looked at, ended. */
export const replays = (pool: pg.Pool) => ({
  count: countReplay(pool),

  /** AppError `replay_under_way` while another one of this webhook runs. */
  async begin(
    operationId: string,
    { userId, webhookId }: { readonly userId: string; readonly webhookId: string },
    span: ReplaySpan,
  ): Promise<ReplayOperation> {
    const { rows } = await beginOperation(pool, {
      operation_id: operationId,
      user_id: userId,
      webhook_id: webhookId,
      from: span.from,
      to: span.to,
      kinds: span.kinds ?? null,
      outcomes: span.outcomes,
    }).catch((error: unknown) => {
      throw (error as { code?: string }).code === UNIQUE_VIOLATION ? underWay(error) : error;
    });
    await headNow(pool, webhookId);
    return toOperation(one(rows));
  },

  async find(userId: string, operationId: string): Promise<ReplayOperation | undefined> {
    const { rows } = await findOperation(pool, { operation_id: operationId, user_id: userId });
    return rows[0] && toOperation(rows[0]);
  },

  page: (userId: string, webhookId: string | undefined, page: PageRequest) =>
    pageOfReplays(pool, userId, webhookId, page),

  /**
   * Cancels a replay if it still runs; deliveries that it has sent stay sent. Returns false when the user has no such
   * replay.
   */
  async cancel(userId: string, operationId: string): Promise<boolean> {
    const { rowCount } = await cancelOperation(pool, {
      operation_id: operationId,
      user_id: userId,
    });
    return rowCount === 1;
  },
});

/** Newest first: their ids begin with the time. */
async function pageOfReplays(
  pool: pg.Pool,
  userId: string,
  webhookId: string | undefined,
  { after, limit }: PageRequest,
): Promise<Page<ReplayOperation>> {
  const values = { user_id: userId, after_operation_id: after ?? null, limit: limit + 1 };
  const { rows } = await inTransaction(
    pool,
    (tx) =>
      webhookId === undefined
        ? operationPage(tx, values)
        : operationPageOfWebhook(tx, { ...values, webhook_id: webhookId }),
    { walksIndexes: true },
  );
  return pageOf(rows.map(toOperation), limit, ({ operationId }) => operationId);
}

const findOperation = statement<OperationRow>(
  'operation',
  `select ${OPERATION_COLUMNS} from operations
    where operation_id = :operation_id and user_id = :user_id`,
  { ...OPERATION_IDS, operation_id: 'op' },
);

const pageWhere = (condition: string) => `
  select ${OPERATION_COLUMNS} from operations
   where user_id = :user_id and ${condition}
     and (:after_operation_id::uuid is null or operation_id < :after_operation_id)
   order by operation_id desc limit :limit`;

const operationPage = statement<OperationRow>('operation_page', pageWhere('true'), {
  ...OPERATION_IDS,
  after_operation_id: 'op',
});

const operationPageOfWebhook = statement<OperationRow>(
  'operation_page_of_webhook',
  pageWhere('webhook_id = :webhook_id'),
  { ...OPERATION_IDS, webhook_id: 'wh', after_operation_id: 'op' },
);

const cancelOperation = statement(
  'cancel_operation',
  `with cancelled as (
     update operations set status = 'cancelled', reason = 'user', ended_at = now()
      where operation_id = :operation_id and user_id = :user_id and status = 'running')
   select from operations where operation_id = :operation_id and user_id = :user_id`,
  { operation_id: 'op' },
);

const beginOperation = statement<OperationRow>(
  'begin_operation',
  `
insert into operations (operation_id, user_id, webhook_id, status, from_at, to_at, kinds, outcomes,
                        counted, count_is_exact, begin_after)
values (:operation_id, :user_id, :webhook_id, 'running', :from, :to, :kinds, :outcomes, 0, false,
        pg_current_xact_id())
returning ${OPERATION_COLUMNS}`,
  { ...OPERATION_IDS, operation_id: 'op', webhook_id: 'wh' },
);

const underWay = (cause?: unknown) =>
  new AppError(
    'replay_under_way',
    'A replay of this webhook is under way. Wait until it has ended, or cancel it.',
    { cause },
  );
