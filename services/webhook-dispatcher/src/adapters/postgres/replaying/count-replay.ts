import { semaphore } from '@junction/async';
import { AppError } from '@junction/errors';
import { inTransaction } from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { Candidate, ReplayCount, ReplaySpan } from '../../../application/replaying/ports.js';
import { fits } from '../../../application/replaying/replay-batch.js';
import { statement } from '../statement.js';
import {
  OPERATION_COLUMNS,
  OPERATION_IDS,
  type OperationRow,
  toOperation,
} from './operation-row.js';
import { candidates } from './replay-candidates.js';

/** Deliveries that one statement looks at: about a tenth of a second. */
const PAGE = 5_000;
/** Milliseconds for counting while somebody waits for the answer. */
const COUNTING_MAX_MS = 500;
/** Each has a connection in use all the time, of those that deliveries need as well. */
const AT_ONCE_MAX = 2;
const WAITING_MAX = 20;

/**
 * How many deliveries a replay would send again: all of them, as far as there is time to look at them. The time
 * for which it had to wait for others counts.
 */
export function countReplay(pool: pg.Pool, countingMaxMs = COUNTING_MAX_MS) {
  const through = semaphore({ atOnceMax: AT_ONCE_MAX, waitingMax: WAITING_MAX, refusal: tooBusy });

  return async (webhookId: string, span: ReplaySpan): Promise<ReplayCount> => {
    const endMs = performance.now() + countingMaxMs;
    return through(() => countUntil(endMs, pool, webhookId, span));
  };
}

async function countUntil(
  endMs: number,
  pool: pg.Pool,
  webhookId: string,
  span: ReplaySpan,
): Promise<ReplayCount> {
  let count = 0;
  let page: readonly Candidate[] = [];
  do {
    const after = page.at(-1)?.deliveryId ?? null;
    page = await inTransaction(pool, (tx) => candidates(tx, webhookId, span, after, PAGE));
    count += page.filter((one) => fits(one, span)).length;
  } while (page.length === PAGE && performance.now() < endMs);
  return { count, isExact: page.length < PAGE };
}

const tooBusy = (): AppError =>
  new AppError('too_busy', 'Too many replays are being counted. Try again in a moment.', {
    retryAfterS: 1,
  });

/**
 * Counts what running replays send, beside them: a page of one replay that is not counted to its end. Returns false
 * when there is none. Safe on any number of replicas.
 */
export async function countRunning(pool: pg.Pool, page = PAGE): Promise<boolean> {
  const counted = await inTransaction(pool, async (tx) => {
    // A delivery that the replay sends meanwhile is to be seen either as sent or as to be sent.
    await tx.query('set transaction isolation level repeatable read');
    const [row] = (await findUncounted(tx)).rows;
    return row && { row, ...(await countNext(tx, row, page)) };
  });
  if (counted === undefined) return false;
  const { row, count, countedTo, isExact } = counted;
  await keepCount(pool, {
    operation_id: row.operationId,
    counted_before: row.countedTo,
    counted_to: countedTo,
    count,
    is_exact: isExact,
  });
  return true;
}

type UncountedRow = OperationRow & { readonly countedTo: string | null };

async function countNext(tx: pg.ClientBase, row: UncountedRow, page: number) {
  const { webhookId, sent, skipped, lastDeliveryId, countedTo } = row;
  // The replay may be ahead of its count.
  const isAhead = lastDeliveryId !== null && lastDeliveryId > (countedTo ?? '');
  const after = isAhead ? lastDeliveryId : countedTo;
  const before = isAhead ? sent + skipped : row.count;
  const span = toOperation(row);
  const found = await candidates(tx, webhookId, span, after, page);
  return {
    count: before + found.filter((one) => fits(one, span)).length,
    countedTo: found.at(-1)?.deliveryId ?? after,
    isExact: found.length < page,
  };
}

const findUncounted = statement<UncountedRow>(
  'uncounted_replay',
  `select ${OPERATION_COLUMNS}, counted_to as "countedTo" from operations
    where status = 'running' and not count_is_exact order by requested_at limit 1`,
  { ...OPERATION_IDS, countedTo: 'dlv' },
);

const keepCount = statement(
  'keep_replay_count',
  `update operations set counted = :count, count_is_exact = :is_exact, counted_to = :counted_to
    where operation_id = :operation_id and status = 'running'
      and counted_to is not distinct from :counted_before`,
  { operation_id: 'op', counted_before: 'dlv', counted_to: 'dlv' },
);
