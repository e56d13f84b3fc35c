import type pg from 'pg';
import type { Event, EventCodec, RecordedEvent } from '../../index.js';
import type { Position } from '../store/read-all.js';
import { recordedEvent, type StoredEvent } from '../store/stored-event.js';
import { inTransaction } from '../transaction.js';
import { moveCheckpoint, type Place } from './checkpoint.js';
import { isTransient, RebuildStoppedError } from './failure.js';
import type { RowProjection } from './row-projection.js';

/** A rebuild: the projection that is applied, and the table that is filled beside the live one. */
export interface Application<E extends Event> {
  readonly pool: pg.Pool;
  readonly codec: EventCodec<E>;
  readonly projection: RowProjection<E>;
  readonly table: string;
  /** Epoch of the lease that the rebuild holds. */
  readonly epoch: string;
}

/**
 * Applies events, moves the checkpoint over them and returns its new position. When an event cannot be handled, the
 * events before it are applied.
 *
 * @throws RebuildStoppedError naming the event that cannot be handled.
 */
export async function applyBatch<E extends Event>(
  application: Application<E>,
  from: Place,
  events: readonly StoredEvent[],
): Promise<Position> {
  try {
    return await applyAtOnce(application, from, events);
  } catch (error) {
    if (isTransient(error)) throw error;
  }
  let { at } = from;
  for (const event of events) {
    try {
      at = await applyAtOnce(application, { ...from, at }, [event]);
    } catch (error) {
      throw isTransient(error) ? error : new RebuildStoppedError(event, error);
    }
  }
  return at;
}

async function applyAtOnce<E extends Event>(
  { pool, codec, projection, table, epoch }: Application<E>,
  from: Place,
  events: readonly StoredEvent[],
): Promise<Position> {
  const last = events.at(-1);
  if (!last) return from.at;
  // Decoding comes before the transaction: a codec may wait for keys, and needs a connection of its own for them.
  const recorded = await decoded(codec, events);
  await inTransaction(pool, async (tx) => {
    await tx.query(SETTINGS);
    await moveCheckpoint(tx, epoch, from, events);
    await noteColumns(tx, from, await projection.applyTo(tx, table, recorded));
  });
  return { tx: last.tx, position: last.position };
}

/**
 * A crash of the server takes back rows and checkpoint together, so no commit waits for the disk. A
 * process that is paused in the middle holds the checkpoint no longer than a lease lasts.
 */
const SETTINGS = `
set local synchronous_commit = off; set local idle_in_transaction_session_timeout = '4s'`;

export async function decoded<E extends Event>(
  codec: EventCodec<E>,
  events: readonly StoredEvent[],
): Promise<readonly RecordedEvent<E>[]> {
  const recorded: RecordedEvent<E>[] = [];
  for (const event of events) recorded.push(await recordedEvent(codec, event));
  return recorded;
}

/** Stores the names of the written columns: the switch may change these columns in the live table, and no others. */
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
