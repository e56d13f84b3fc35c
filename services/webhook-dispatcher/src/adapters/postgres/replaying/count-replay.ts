import { semaphore } from '@junction/async';
import { AppError } from '@junction/errors';
import type pg from 'pg';
import type { Candidate, ReplayCount, ReplaySpan } from '../../../application/replaying/ports.js';
import { fits } from '../../../application/replaying/replay-batch.js';
import { candidates } from './replay-candidates.js';

/** Deliveries that one statement looks at: about a tenth of a second. */
const PAGE = 5_000;
/** Milliseconds for counting. The caller waits for the answer, and the dashboard gives up after 20 s. */
const COUNTING_MAX_MS = 15_000;
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
    page = await candidates(pool, webhookId, span, after, PAGE);
    count += page.filter((one) => fits(one, span)).length;
  } while (page.length === PAGE && performance.now() < endMs);
  return { count, isExact: page.length < PAGE };
}

const tooBusy = (): AppError =>
  new AppError('too_busy', 'Too many replays are being counted. Try again in a moment.', {
    retryAfterS: 1,
  });
