import type { Event, EventCodec, LoadedStream } from '../../index.js';
import type { Queryable } from '../queryable.js';
import { readStream, readStreams } from './read-stream.js';
import type { StoredEvent } from './stored-event.js';

const PAGE = 1_000;
/** Events that are read of each of many streams at once: most streams are shorter. */
const SHORT = 50;

/** Returns a stream's history, read page by page and decoded; what was read of its beginning is not read again. */
export async function loadStream<E extends Event>(
  db: Queryable,
  codec: EventCodec<E>,
  streamId: string,
  beginning: readonly E[] = [],
): Promise<LoadedStream<E>> {
  const history = [...beginning];
  for (;;) {
    const page = await readStream(db, streamId, history.length, PAGE);
    history.push(...(await decodeAll(codec, page)));
    if (page.length < PAGE) return { history, version: history.length };
  }
}

/** Returns the histories of some streams. Those of short streams are read and decoded together. */
export async function loadStreams<E extends Event>(
  db: Queryable,
  codec: EventCodec<E>,
  streamIds: readonly string[],
): Promise<ReadonlyMap<string, LoadedStream<E>>> {
  const pages = [...(await readStreams(db, streamIds, SHORT))];
  const decoded = await Promise.all(pages.map(async ([, page]) => decodeAll(codec, page)));
  const loaded = new Map<string, LoadedStream<E>>();
  for (const [n, [streamId]] of pages.entries()) {
    const history = decoded[n] ?? [];
    const version = history.length;
    const isWhole = version < SHORT;
    const stream = isWhole ? { history, version } : loadStream(db, codec, streamId, history);
    loaded.set(streamId, await stream);
  }
  return loaded;
}

const decodeAll = async <E extends Event>(codec: EventCodec<E>, page: readonly StoredEvent[]) =>
  Promise.all(page.map(async (stored) => codec.decode(stored.streamId, stored)));

/** Waits for the append under way; until the transaction ends no other append reaches the stream, unless it is new. */
export async function holdStream(db: Queryable, streamId: string): Promise<void> {
  await db.query({
    name: 'junction_hold_stream',
    text: 'select from streams where stream_id = $1 for update',
    values: [streamId],
  });
}
