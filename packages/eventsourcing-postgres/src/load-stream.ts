import type { Event, EventCodec } from '@junction/eventsourcing';
import type { Queryable } from './queryable.js';
import { readStream } from './read-stream.js';

const PAGE = 1_000;

/** A stream's history after a version, decoded, page by page. */
export async function loadStream<E extends Event>(
  db: Queryable,
  codec: EventCodec<E>,
  streamId: string,
  afterVersion = 0,
): Promise<{ history: readonly E[]; version: number }> {
  const history: E[] = [];
  for (;;) {
    const page = await readStream(db, streamId, afterVersion + history.length, PAGE);
    for (const stored of page) history.push(await codec.decode(streamId, stored));
    if (page.length < PAGE) return { history, version: afterVersion + history.length };
  }
}
