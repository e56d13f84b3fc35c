import { inTransaction } from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import type { ReplayRows } from '../../../application/ports.js';
import { OTHERS_HAVE_ENDED } from '../privacy/begin-after.js';
import type { Unlock } from '../sealed-rows.js';
import { attemptNow } from '../sending/attempt-now.js';
import { statement } from '../statement.js';
import { OPERATION_COLUMNS, type OperationRow, one, spanOf, toOperation } from './operation-row.js';
import { repeat } from './redeliveries.js';
import { fits, scan } from './replay-candidates.js';

/** Deliveries of the webhook that may be due at once: live deliveries wait in the same queue. */
const BACKLOG_MAX = 100;
/** Deliveries looked at for one batch. */
const SCANNED_MAX = 500;

/** Returns true when there is a replay to advance: cheaper than a transaction that finds none. */
export async function isReplayRunning(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await anyRunning(pool);
  return rowCount === 1;
}

const anyRunning = statement(
  'replay_running',
  `select from operations where status = 'running' limit 1`,
);

/** Moves replays on. Any number of replicas may do so: an operation is locked for the length of a batch. */
export const replayRows = (pool: pg.Pool, unlock: Unlock): ReplayRows => ({
  advance: async () =>
    inTransaction(pool, async (tx) => {
      const operation = await claim(tx);
      if (operation === undefined) return undefined;
      const obstacle = await obstacleOf(tx, operation.webhook_id);
      if (obstacle !== undefined) return end(tx, operation, 'cancelled', obstacle);
      const room = BACKLOG_MAX - (await backlogOf(tx, operation.webhook_id));
      if (room <= 0) return { operation: toOperation(await touch(tx, operation)), moved: false };
      return moveOn(tx, operation, room, unlock);
    }),
});

/**
 * The operation whose turn is longest ago, and that nobody has in hand. One begins when every
 * transaction has ended that was under way when it was asked for: those may still file a delivery
 * that lies in its span.
 */
async function claim(tx: pg.PoolClient): Promise<OperationRow | undefined> {
  const { rows } = await claimOperation(tx);
  return rows[0];
}

const claimOperation = statement<OperationRow>(
  'claim_operation',
  `select ${OPERATION_COLUMNS} from operations
    where status = 'running' and ${OTHERS_HAVE_ENDED}
    order by advanced_at limit 1 for update skip locked`,
);

async function obstacleOf(tx: pg.PoolClient, webhookId: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ status: string }>(
    'select status from webhooks where webhook_id = $1',
    [webhookId],
  );
  if (rows[0] === undefined) return 'webhook_deleted';
  return rows[0].status === 'disabled' ? 'webhook_disabled' : undefined;
}

async function backlogOf(tx: pg.PoolClient, webhookId: string): Promise<number> {
  const { rows } = await countBacklog(tx, { webhook_id: webhookId });
  return rows[0]?.waiting ?? 0;
}

const countBacklog = statement<{ waiting: number }>(
  'replay_backlog',
  `select count(*)::int as waiting
     from (select from pending
            where webhook_id = :webhook_id and next_at <= now() limit ${BACKLOG_MAX}) p`,
);

/** Files the next deliveries and how far it has come in one transaction: none twice, none left out. */
async function moveOn(tx: pg.PoolClient, operation: OperationRow, room: number, unlock: Unlock) {
  const span = spanOf(operation);
  const scanned = await scan(
    tx,
    operation.webhook_id,
    span,
    operation.last_delivery_id,
    SCANNED_MAX,
  );
  const fitting = scanned.filter((candidate) => fits(candidate, span));
  const chosen = fitting.slice(0, room);
  const ended = chosen.filter(({ status }) => status !== 'retrying');
  const waiting = chosen.filter(({ status }) => status === 'retrying');
  await attemptNow(tx, operation.webhook_id, waiting);
  const repeated = await repeat(tx, unlock, ended, operation.operation_id);
  const sent = waiting.length + repeated.length;
  const isCut = fitting.length > chosen.length;
  const last = isCut ? chosen.at(-1) : scanned.at(-1);
  const { rows } = await advanceOperation(tx, {
    operation_id: operation.operation_id,
    sent,
    skipped: chosen.length - sent,
    last_delivery_id: last?.delivery_id ?? null,
  });
  const moved = one(rows);
  if (isCut || scanned.length === SCANNED_MAX)
    return { operation: toOperation(moved), moved: true };
  return end(tx, moved, 'completed', null);
}

const advanceOperation = statement<OperationRow>(
  'advance_operation',
  `update operations
      set sent = sent + :sent, skipped = skipped + :skipped,
          last_delivery_id = coalesce(:last_delivery_id, last_delivery_id),
          advanced_at = clock_timestamp()
    where operation_id = :operation_id returning ${OPERATION_COLUMNS}`,
);

async function touch(tx: pg.PoolClient, { operation_id: id }: OperationRow): Promise<OperationRow> {
  const { rows } = await touchOperation(tx, { operation_id: id });
  return one(rows);
}

const touchOperation = statement<OperationRow>(
  'touch_operation',
  `update operations set advanced_at = clock_timestamp()
    where operation_id = :operation_id returning ${OPERATION_COLUMNS}`,
);

async function end(
  tx: pg.PoolClient,
  { operation_id: id }: OperationRow,
  status: 'completed' | 'cancelled',
  reason: string | null,
) {
  const { rows } = await endOperation(tx, { operation_id: id, status, reason });
  return { operation: toOperation(one(rows)), moved: true };
}

const endOperation = statement<OperationRow>(
  'end_operation',
  `update operations set status = :status, reason = :reason, ended_at = now()
    where operation_id = :operation_id returning ${OPERATION_COLUMNS}`,
);
