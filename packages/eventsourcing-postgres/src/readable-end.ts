import type { Queryable } from './queryable.js';
import { FENCE, type Position } from './read-all.js';

/** The highest bigint: after every event of its transaction. */
const LAST_POSITION = 2n ** 63n - 1n;

/** Behind everything that may be read by now: a reader that begins here gets what comes from now on. */
export async function readableEnd(db: Queryable): Promise<Position> {
  const { rows } = await db.query<{ fence: string }>({ text: `select ${FENCE}::text as fence` });
  return { tx: BigInt(rows[0]?.fence ?? 1) - 1n, position: LAST_POSITION };
}

/** The last of the events that may be read by now; undefined: there is none. */
export async function lastReadable(db: Queryable): Promise<Position | undefined> {
  const { rows } = await db.query<{ tx: string; position: string }>({
    name: 'junction_last_readable',
    // By the columns, which have an index: without the prefix these would be the texts that are given back.
    text: `select e.tx::text, e.position::text from events e where e.tx < ${FENCE}
            order by e.tx desc, e.position desc limit 1`,
  });
  const [last] = rows;
  return last && { tx: BigInt(last.tx), position: BigInt(last.position) };
}
