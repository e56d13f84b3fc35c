import type { Event, EventCodec } from '../../index.js';
import type { Queryable } from '../queryable.js';
import { readStream } from './read-stream.js';

const PAGE = 1_000;

/** Returns a stream's history, read page by page and decoded. */
export async function loadStream<E extends Event>(
  db: Queryable,
  codec: EventCodec<E>,
  streamId: string,
): Promise<{ history: readonly E[]; version: number }> {
  const history: E[] = [];
  for (;;) {
    const page = await readStream(db, streamId, history.length, PAGE);
    history.push(...(await Promise.all(page.map((stored) => codec.decode(streamId, stored)))));
    if (page.length < PAGE) return { history, version: history.length };
  }
}

/** Waits for the append under way; until the transaction ends no other append reaches the stream, unless it is new. */
export async function holdStream(db: Queryable, streamId: string): Promise<void> {
  await db.query({
    name: 'junction_hold_stream',
    text: 'select from streams where stream_id = $1 for update',
    values: [streamId],
  });
}
