import type pg from 'pg';
import type { ReplayCount, ReplaySpan } from '../../application/replay.js';
import { type Candidate, fits, scan } from './replay-candidates.js';
import { toStoredId } from './stored-id.js';

/** Looked at in one statement: about a tenth of a second. */
const PAGE = 5_000;
/** Whoever asked waits for the answer, and proxies in between do not wait for ever. */
const COUNTING_MAX_MS = 25_000;

/** How many deliveries a replay would send again: all of them, as far as there is time to look at them. */
export const countReplay =
  (pool: pg.Pool, countingMaxMs = COUNTING_MAX_MS) =>
  async (webhookId: string, span: ReplaySpan): Promise<ReplayCount> => {
    const endMs = performance.now() + countingMaxMs;
    let count = 0;
    let page: readonly Candidate[] = [];
    do {
      const after = page.at(-1)?.delivery_id ?? null;
      page = await scan(pool, toStoredId(webhookId), span, after, PAGE);
      count += page.filter((one) => fits(one, span)).length;
    } while (page.length === PAGE && performance.now() < endMs);
    return { count, isExact: page.length < PAGE };
  };
