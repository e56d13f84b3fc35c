import type { Queryable } from '../queryable.js';
import { FENCE, type Position } from './read-all.js';

/** The highest bigint: after every event of its transaction. */
const LAST_POSITION = 2n ** 63n - 1n;

/**
 * Returns the position behind everything that may be read by now: a reader that starts there gets the events that come
 * from now on.
 */
export async function readableEnd(db: Queryable): Promise<Position> {
  const { rows } = await db.query<{ fence: string }>({ text: `select ${FENCE}::text as fence` });
  return { tx: BigInt(rows[0]?.fence ?? 1) - 1n, position: LAST_POSITION };
}
