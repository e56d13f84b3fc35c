import type { Queryable } from '../queryable.js';
import { checkLimit } from './read-limit.js';

/** A stream's name and how many events it has. */
export interface StreamHead {
  readonly streamId: string;
  readonly version: number;
}

/** Returns undefined when there is no such stream. */
export async function streamHead(db: Queryable, streamId: string): Promise<StreamHead | undefined> {
  const { rows } = await db.query<StreamHead & object>({
    name: 'junction_stream_head',
    text: 'select stream_id as "streamId", version from streams where stream_id = $1',
    values: [streamId],
  });
  return rows[0];
}

/** Returns the streams whose name begins with `prefix` and comes after `after`, in the order of their names. */
export async function streamHeads(
  db: Queryable,
  {
    prefix,
    after,
    limit,
  }: { readonly prefix: string; readonly after: string; readonly limit: number },
): Promise<readonly StreamHead[]> {
  checkLimit(limit);
  // A name sorts after its own prefix, so the index leads to the first match.
  const { rows } = await db.query<StreamHead & object>({
    text: `select stream_id as "streamId", version from streams
            where stream_id > $1 and stream_id >= $2 and starts_with(stream_id, $2)
            order by stream_id limit $3`,
    values: [after, prefix, limit],
  });
  return rows;
}
