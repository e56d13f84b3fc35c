import type pg from 'pg';
import type { Queryable } from '../queryable.js';
import type { Position } from '../store/read-all.js';
import type { StoredEvent } from '../store/stored-event.js';
import { FencedError } from './failure.js';

/** Progress of a version of a projection. */
export interface Checkpoint {
  readonly name: string;
  readonly version: number;
  /** True for the version that answers reads. A rebuild fills a version that is not live yet. */
  readonly live: boolean;
  readonly at: Position;
  /** Number of events that were applied. */
  readonly done: number;
  /** Columns that a rebuild has written so far. */
  readonly columns: readonly string[];
}

/** Position of a version that is being filled. */
export type Place = Pick<Checkpoint, 'name' | 'version' | 'at'>;

/** Returns undefined when there is no such version, or none any more. */
export async function findCheckpoint(
  db: Queryable,
  { name, version }: Pick<Checkpoint, 'name' | 'version'>,
): Promise<Checkpoint | undefined> {
  const { rows } = await db.query<CheckpointRow>({
    text: 'select * from projection_checkpoints where name = $1 and version = $2',
    values: [name, version],
  });
  return rows[0] && checkpointOf(rows[0]);
}

/**
 * Moves the checkpoint over these events, in the transaction of their effects and before them. When two processes move
 * it from the same position, one succeeds: the other waits here, and finds the checkpoint moved. `epoch` is that of the
 * lease that permits the move.
 *
 * @throws FencedError when the checkpoint was moved, or the lease was lost.
 */
export async function moveCheckpoint(
  tx: pg.ClientBase,
  epoch: string,
  { name, version, at }: Place,
  events: readonly StoredEvent[],
): Promise<void> {
  const to = events.at(-1) ?? at;
  const { rowCount } = await tx.query(
    `update projection_checkpoints
        set tx = $1, position = $2, done = done + $3, updated_at = now()
      where name = $4 and version = $5 and (tx, position) = ($6::xid8, $7::bigint)
        and exists (select from projection_leases where name = $4 and epoch = $8)`,
    [to.tx, to.position, events.length, name, version, at.tx, at.position, epoch],
  );
  if (rowCount !== 1) throw new FencedError(name);
}

export interface CheckpointRow {
  readonly name: string;
  readonly version: number;
  readonly live: boolean;
  readonly tx: string;
  readonly position: string;
  readonly done: string;
  readonly columns: readonly string[];
}

export const checkpointOf = (row: CheckpointRow): Checkpoint => ({
  name: row.name,
  version: row.version,
  live: row.live,
  at: { tx: BigInt(row.tx), position: BigInt(row.position) },
  done: Number(row.done),
  columns: row.columns,
});
