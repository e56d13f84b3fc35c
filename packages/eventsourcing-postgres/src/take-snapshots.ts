import { isOutage } from '@junction/errors';
import type pg from 'pg';
import {
  countOpenStreams,
  IS_OPEN,
  type Opening,
  openStreamsValues,
  refuseUnlessFull,
  tableOf,
} from './open-streams.js';
import { CATEGORY } from './read-all.js';

/** Streams looked at in one statement; after each full page progress is told. */
const PAGE = 200;

export interface SnapshotsProgress {
  readonly phase: 'taking' | 'done';
  /** Taken so far, in this run. */
  readonly streamsDone: number;
  /** How many stood in the way of an archive when it began. */
  readonly streamsTotal: number;
  /** How many still do, once it is done: of their states no snapshot is taken, or it failed. Before: about. */
  readonly streamsLeft: number;
}

export interface TakingOptions {
  /** What an archive of the partition asks. */
  readonly archive: Opening;
  /** `PostgresSnapshots.take` of the stream's aggregate. False: no snapshot is taken of it. */
  readonly take: (streamId: string) => Promise<boolean>;
  /** One could not be taken, and the others go on. */
  readonly onError: (error: unknown, streamId: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Takes the snapshots that an archive of the nth partition waits for, one after the other, and tells how
 * far it is. Broken off, what was taken stays: the same call finds what is missing then.
 * @throws AppError like `archivePartition`, when the partition is not there or not full.
 */
export async function* takeSnapshots(
  pool: pg.Pool,
  n: number,
  { archive, take, onError, signal }: TakingOptions,
): AsyncGenerator<SnapshotsProgress, void, undefined> {
  await refuseUnlessFull(pool, n);
  const streamsTotal = await countOpenStreams(pool, n, archive);
  let streamsDone = 0;
  const progress = (phase: SnapshotsProgress['phase'], streamsLeft: number) => ({
    phase,
    streamsDone,
    streamsTotal,
    streamsLeft,
  });
  const isTaken = async (streamId: string): Promise<boolean> => {
    signal.throwIfAborted();
    try {
      return await take(streamId);
    } catch (error) {
      if (isOutage(error)) throw error;
      onError(error, streamId);
      return false;
    }
  };

  yield progress('taking', streamsTotal);
  for (let after = ''; ; ) {
    const streams = await readPage(pool, n, archive, after);
    for (const { stream_id: streamId, is_open: isOpen } of streams) {
      if (isOpen && (await isTaken(streamId))) streamsDone++;
    }
    after = streams.at(-1)?.stream_id ?? after;
    if (streams.length < PAGE) break;
    // Streams may have been opened since they were counted.
    yield progress('taking', Math.max(0, streamsTotal - streamsDone));
  }
  yield progress('done', await countOpenStreams(pool, n, archive));
}

/**
 * The next streams of the partition by name, from its own index, of aggregates that have snapshots:
 * closed and covered ones too.
 */
async function readPage(
  pool: pg.Pool,
  n: number,
  archive: Opening,
  after: string,
): Promise<readonly { readonly stream_id: string; readonly is_open: boolean }[]> {
  const { rows } = await pool.query<{ stream_id: string; is_open: boolean }>(
    `select p.stream_id, ${IS_OPEN} as is_open
       from (select stream_id, max(version) as last from ${tableOf(n)}
              where stream_id > $4 and ${CATEGORY} = any ($5::text[])
              group by stream_id order by stream_id limit ${PAGE}) p
       join streams s using (stream_id)
      order by p.stream_id`,
    [...openStreamsValues(archive), after, Object.keys(archive.shapes)],
  );
  return rows;
}
