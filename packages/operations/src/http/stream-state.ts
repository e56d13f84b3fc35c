import { AppError } from '@junction/errors';
import { type Event, splitStreamId } from '@junction/eventsourcing';
import { readStream, type StoredEvent } from '@junction/eventsourcing/postgres';
import type { Context } from './context.js';
import type { Fold } from './fold.js';

const PAGE = 500;

/** End of the events that are read: a version or a time, both inclusive; with neither, all events until now. */
export interface Until {
  readonly version?: number;
  readonly time?: Date;
}

export interface StreamState {
  readonly version: number;
  readonly recordedAt: Date | undefined;
  readonly state: unknown;
}

/**
 * Returns the state that a stream's events amounted to at a version or time. @throws AppError when its events have no
 * fold.
 */
export async function streamState(
  { pool, codec, folds }: Pick<Context, 'pool' | 'codec' | 'folds'>,
  streamId: string,
  until: Until,
): Promise<StreamState> {
  const { evolve, initialState } = foldFor(folds, streamId);
  let result: StreamState = { version: 0, recordedAt: undefined, state: initialState };
  for (;;) {
    const page = await readStream(pool, streamId, result.version, PAGE);
    for (const stored of page) {
      if (isAfter(stored, until)) return result;
      const event = await decoded(codec, stored);
      const { version, recordedAt } = stored;
      result = { version, recordedAt, state: evolve(result.state, event) };
    }
    if (page.length < PAGE) return result;
  }
}

const isAfter = ({ version, recordedAt }: StoredEvent, until: Until): boolean =>
  (until.version !== undefined && version > until.version) ||
  (until.time !== undefined && recordedAt > until.time);

function foldFor(folds: Context['folds'], streamId: string): Fold {
  const { aggregate } = splitStreamId(streamId);
  const fold = Object.hasOwn(folds, aggregate) ? folds[aggregate] : undefined;
  if (fold) return fold;
  throw new AppError(
    'aggregate_unknown',
    `This service does not know what streams of "${aggregate}" amount to. It has: ` +
      `${Object.keys(folds).join(', ')}.`,
  );
}

async function decoded(codec: Context['codec'], stored: StoredEvent): Promise<Event> {
  try {
    return await codec.decode(stored.streamId, stored);
  } catch (cause) {
    throw new AppError(
      'event_unreadable',
      `Version ${stored.version} of ${stored.streamId} (${stored.type}, schema version ` +
        `${stored.schemaVersion}) does not decode, so what follows from it is not known.`,
      { cause },
    );
  }
}
