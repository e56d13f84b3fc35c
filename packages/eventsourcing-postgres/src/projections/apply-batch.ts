import type { Event, EventCodec, RecordedEvent } from '@junction/eventsourcing';
import type pg from 'pg';
import type { Position } from '../read-all.js';
import { retried } from '../retry.js';
import type { RowProjection } from '../row-projection.js';
import { recordedEvent, type StoredEvent } from '../stored-event.js';
import { inTransaction } from '../transaction.js';
import { type Holder, moveCheckpoint, type Place, stopAt } from './checkpoint.js';
import { isPassing, reasonOf } from './failure.js';

/** What is applied where: a projection into its own table, or a rebuild into the one beside it. */
export interface Application<E extends Event> {
  readonly pool: pg.Pool;
  readonly codec: EventCodec<E>;
  readonly projection: RowProjection<E>;
  readonly table: string;
  readonly holder: Holder;
}

/** A projection met an event it cannot handle, which is written down by now. */
export class ProjectionStoppedError extends Error {
  constructor(
    /** What may be told to everybody: the cause may quote the event. */
    readonly words: {
      readonly projection: string;
      readonly type: string;
      readonly position: string;
      readonly reason: string;
    },
    options: ErrorOptions,
  ) {
    const { projection, type, position, reason } = words;
    super(`Projection "${projection}" stopped at the ${type} at ${position}: ${reason}.`, options);
    this.name = new.target.name;
  }
}

/**
 * Applies events and moves the checkpoint over them, and gives its new place. When that fails by the
 * fault of one of them, those before it are applied and the projection is stopped there.
 */
export async function applyBatch<E extends Event>(
  application: Application<E>,
  from: Place,
  events: readonly StoredEvent[],
): Promise<Position> {
  try {
    return await applyAtOnce(application, from, events);
  } catch (error) {
    if (isPassing(error)) throw error;
  }
  let { at } = from;
  for (const event of events) {
    const place = { ...from, at };
    try {
      at = await retried(
        () => applyAtOnce(application, place, [event]),
        (error) => !isPassing(error),
      );
    } catch (error) {
      if (isPassing(error)) throw error;
      const reason = reasonOf(error);
      await stopAt(application.pool, application.holder, place, event, reason);
      const { type, position } = event;
      const words = { projection: from.name, type, position: String(position), reason };
      throw new ProjectionStoppedError(words, { cause: error });
    }
  }
  return at;
}

async function applyAtOnce<E extends Event>(
  { pool, codec, projection, table, holder }: Application<E>,
  from: Place,
  events: readonly StoredEvent[],
): Promise<Position> {
  const last = events.at(-1);
  if (!last) return from.at;
  // Before the transaction: a codec may wait for keys, and needs a connection of its own for them.
  const recorded = await decoded(codec, events);
  await inTransaction(pool, async (tx) => {
    await tx.query(SETTINGS);
    await moveCheckpoint(tx, holder, from, events);
    const columns = await projection.applyTo(tx, table, recorded);
    if (table !== projection.table) await noteColumns(tx, from, columns);
  });
  return { tx: last.tx, position: last.position };
}

/**
 * What a crash of the server takes back is rows and checkpoint together, so nothing is waited for. A
 * process that is paused in the middle holds the checkpoint: not for longer than a lease lasts.
 */
export const SETTINGS = `
set local synchronous_commit = off; set local idle_in_transaction_session_timeout = '4s'`;

export async function decoded<E extends Event>(
  codec: EventCodec<E>,
  events: readonly StoredEvent[],
): Promise<readonly RecordedEvent<E>[]> {
  const recorded: RecordedEvent<E>[] = [];
  for (const event of events) recorded.push(await recordedEvent(codec, event));
  return recorded;
}

/** A rebuild may change what the fold names in the table that answers, and leaves alone the rest. */
export async function noteColumns(
  tx: pg.ClientBase,
  { name, version }: Pick<Place, 'name' | 'version'>,
  columns: readonly string[],
): Promise<void> {
  await tx.query(
    `update projection_checkpoints
        set columns = array(select unnest(columns) union select unnest($3::text[]) order by 1)
      where name = $1 and version = $2 and not columns @> $3::text[]`,
    [name, version, columns],
  );
}
