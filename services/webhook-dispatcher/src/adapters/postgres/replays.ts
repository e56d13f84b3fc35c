import { AppError } from '@junction/errors';
import { inTransaction } from '@junction/eventsourcing-postgres';
import type pg from 'pg';
import type {
  ReplayableOutcome,
  ReplayCount,
  ReplayOperation,
  ReplayRows,
  ReplaySpan,
} from '../../application/replay.js';
import { type Original, repeat, STANDING, STANDING_JOINS } from './redeliveries.js';
import type { Unlock } from './sealed-rows.js';
import { dayOf, fromStoredId, lowestIdAt, timeOfId, toStoredId } from './stored-id.js';

const COUNTED_MAX = 100_000;
/** How many of its deliveries may wait at once: the webhook's live ones stand in the same line. */
const BACKLOG_MAX = 100;
/** Deliveries looked at for one batch. */
const SCANNED_MAX = 500;
const DAY_MS = 86_400_000;
const UNIQUE_VIOLATION = '23505';

interface OperationRow {
  readonly operation_id: string;
  readonly user_id: string;
  readonly webhook_id: string;
  readonly status: ReplayOperation['status'];
  readonly reason: string | null;
  readonly from_at: Date;
  readonly to_at: Date;
  readonly kinds: readonly string[] | null;
  readonly outcomes: readonly ReplayableOutcome[];
  readonly counted: number;
  readonly count_is_exact: boolean;
  readonly sent: number;
  readonly skipped: number;
  readonly last_id: string | null;
  readonly requested_at: Date;
  readonly ended_at: Date | null;
}

/** Replays as rows: asked for, looked at, ended. */
export const replays = (pool: pg.Pool) => ({
  /** How many deliveries would be sent again. */
  async count(webhookId: string, span: ReplaySpan): Promise<ReplayCount> {
    const scanned = await scan(pool, toStoredId(webhookId), span, null, COUNTED_MAX + 1);
    const count = scanned.filter((one) => fits(one, span)).length;
    return { count, isExact: scanned.length <= COUNTED_MAX };
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

const underWay = (cause: unknown) =>
  new AppError(
    'conflict',
    'replay_under_way',
    'A replay of this webhook is under way. Wait until it has ended, or cancel it.',
    { cause },
  );

/** Whether there is a replay to move on: cheaper to ask than a transaction that finds none. */
export async function isReplayRunning(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'replay_running',
    text: `select from operations where status = 'running' limit 1`,
  });
  return rowCount === 1;
}

/** Moves replays on. Any number of replicas may do so: an operation is locked for the length of a batch. */
export const replayRows = (
  pool: pg.Pool,
  unlock: Unlock,
  newDeliveryId: () => string,
): ReplayRows => ({
  advance: async () =>
    inTransaction(pool, async (tx) => {
      const operation = await claim(tx);
      if (operation === undefined) return undefined;
      const obstacle = await obstacleOf(tx, operation.webhook_id);
      if (obstacle !== undefined) return end(tx, operation, 'cancelled', obstacle);
      const room = BACKLOG_MAX - (await backlogOf(tx, operation.webhook_id));
      if (room <= 0) return { operation: toOperation(await touch(tx, operation)), moved: false };
      return moveOn(tx, operation, room, { unlock, newDeliveryId });
    }),
});

/**
 * The operation whose turn is longest ago, and that nobody has in hand. One begins when every
 * transaction has ended that was under way when it was asked for: those may still file a delivery
 * that lies in its span.
 */
async function claim(tx: pg.PoolClient): Promise<OperationRow | undefined> {
  const { rows } = await tx.query<OperationRow>({
    name: 'claim_operation',
    text: `select * from operations
            where status = 'running' and begin_after < pg_snapshot_xmin(pg_current_snapshot())
            order by advanced_at limit 1 for update skip locked`,
  });
  return rows[0];
}

async function obstacleOf(tx: pg.PoolClient, webhookId: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ status: string }>(
    'select status from webhooks where webhook_id = $1',
    [fromStoredId('wh', webhookId)],
  );
  if (rows[0] === undefined) return 'webhook_deleted';
  return rows[0].status === 'disabled' ? 'webhook_disabled' : undefined;
}

async function backlogOf(tx: pg.PoolClient, webhookId: string): Promise<number> {
  const { rows } = await tx.query<{ waiting: number }>({
    name: 'replay_backlog',
    text: `select count(*)::int as waiting
             from (select from pending where webhook_id = $1 limit ${BACKLOG_MAX}) p`,
    values: [webhookId],
  });
  return rows[0]?.waiting ?? 0;
}

interface Repeating {
  readonly unlock: Unlock;
  readonly newDeliveryId: () => string;
}

/** Files the next deliveries and how far it has come in one transaction: none twice, none left out. */
async function moveOn(
  tx: pg.PoolClient,
  operation: OperationRow,
  room: number,
  { unlock, newDeliveryId }: Repeating,
) {
  const span = spanOf(operation);
  const scanned = await scan(tx, operation.webhook_id, span, operation.last_id, SCANNED_MAX);
  const fitting = scanned.filter((candidate) => fits(candidate, span));
  const chosen = fitting.slice(0, room);
  const sent = (await repeat(tx, unlock, chosen, newDeliveryId)).length;
  const isCut = fitting.length > chosen.length;
  const last = isCut ? chosen.at(-1) : scanned.at(-1);
  const { rows } = await tx.query<OperationRow>({
    name: 'advance_operation',
    text: `update operations
              set sent = sent + $2, skipped = skipped + $3, last_id = coalesce($4, last_id),
                  advanced_at = clock_timestamp()
            where operation_id = $1 returning *`,
    values: [operation.operation_id, sent, chosen.length - sent, last?.delivery_id ?? null],
  });
  const moved = one(rows);
  if (isCut || scanned.length === SCANNED_MAX)
    return { operation: toOperation(moved), moved: true };
  return end(tx, moved, 'completed', null);
}

async function touch(tx: pg.PoolClient, { operation_id: id }: OperationRow): Promise<OperationRow> {
  const { rows } = await tx.query<OperationRow>(
    'update operations set advanced_at = clock_timestamp() where operation_id = $1 returning *',
    [id],
  );
  return one(rows);
}

async function end(
  tx: pg.PoolClient,
  { operation_id: id }: OperationRow,
  status: 'completed' | 'cancelled',
  reason: string | null,
) {
  const { rows } = await tx.query<OperationRow>(
    `update operations set status = $2, reason = $3, ended_at = now()
      where operation_id = $1 returning *`,
    [id, status, reason],
  );
  return { operation: toOperation(one(rows)), moved: true };
}

interface Candidate extends Original {
  /** It repeats another, which stands for both. */
  readonly is_repeat: boolean;
}

/**
 * The next deliveries of the span in the order of their ids, and how each stands. When only what failed
 * is wanted, what succeeded is not even looked at.
 */
async function scan(
  db: pg.Pool | pg.ClientBase,
  webhookId: string,
  { from, to, outcomes }: ReplaySpan,
  after: string | null,
  limit: number,
): Promise<readonly Candidate[]> {
  const source = outcomes.includes('succeeded') ? 'deliveries' : 'outcomes';
  const { rows } = await db.query<Candidate>({
    name: `replay_scan_${source}`,
    text: SCANS[source],
    values: [
      webhookId,
      // No id is the lowest one of its millisecond.
      after ?? lowestIdAt(from),
      lowestIdAt(to),
      dayOf(from, -DAY_MS),
      dayOf(to, DAY_MS),
      limit,
    ],
  });
  return rows;
}

const scanOf = (source: string, condition: string) => `
with scanned as materialized (
  select distinct on (delivery_id) day, delivery_id from ${source}
   where webhook_id = $1 and delivery_id > $2 and delivery_id < $3
     and day between $4::date and $5::date and ${condition}
   order by delivery_id limit $6
)
select d.day::text, d.delivery_id, d.kind, d.is_repeat, d.expunged, ${STANDING} as status
  from scanned s
 cross join lateral (select day, delivery_id, kind, original_id is not null as is_repeat,
                            expunged_at is not null as expunged
                       from deliveries d
                      where d.day = s.day and d.delivery_id = s.delivery_id limit 1) d
  ${STANDING_JOINS}
 order by d.delivery_id`;

const SCANS = {
  deliveries: scanOf('deliveries', 'true'),
  outcomes: scanOf('outcomes', `status <> 'succeeded'`),
};

const fits = (candidate: Candidate, { kinds, outcomes }: ReplaySpan): boolean =>
  !candidate.is_repeat &&
  !candidate.expunged &&
  (kinds === undefined || kinds.includes(candidate.kind)) &&
  (outcomes as readonly string[]).includes(candidate.status);

const spanOf = (row: OperationRow): ReplaySpan => ({
  from: row.from_at,
  to: row.to_at,
  outcomes: row.outcomes,
  ...(row.kinds !== null && { kinds: row.kinds }),
});

const toOperation = (row: OperationRow): ReplayOperation => ({
  ...spanOf(row),
  operationId: fromStoredId('op', row.operation_id),
  webhookId: fromStoredId('wh', row.webhook_id),
  userId: row.user_id,
  status: row.status,
  reason: row.reason,
  count: row.counted,
  isExact: row.count_is_exact,
  sent: row.sent,
  skipped: row.skipped,
  progress: row.status === 'completed' ? 1 : progressOf(row),
  requestedAt: row.requested_at,
  endedAt: row.ended_at,
});

/** By time, for the deliveries that are left are not counted again. */
function progressOf({ last_id: lastId, from_at: from, to_at: to }: OperationRow): number {
  if (lastId === null) return 0;
  const share = (timeOfId(lastId).getTime() - from.getTime()) / (to.getTime() - from.getTime());
  return Math.min(1, Math.max(0, Math.round(share * 1_000) / 1_000));
}

/** A statement that always gives a row. */
function one<T>(rows: readonly T[]): T {
  const [row] = rows;
  if (row === undefined) throw new Error('The statement gave no row.');
  return row;
}
