import type { Event, EventCodec } from '@junction/eventsourcing';
import type { Queryable } from '../queryable.js';
import { readStream } from './read-stream.js';

const PAGE = 1_000;

/** A stream's history, read page by page and decoded. */
export async function loadStream<E extends Event>(
  db: Queryable,
  codec: EventCodec<E>,
  streamId: string,
): Promise<{ history: readonly E[]; version: number }> {
  const history: E[] = [];
  for (;;) {
    const page = await readStream(db, streamId, history.length, PAGE);
    for (const stored of page) history.push(await codec.decode(streamId, stored));
    if (page.length < PAGE) return { history, version: history.length };
  }
}
