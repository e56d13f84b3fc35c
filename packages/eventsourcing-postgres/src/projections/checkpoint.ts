import type pg from 'pg';
import type { Queryable } from '../queryable.js';
import type { Position } from '../store/read-all.js';
import type { StoredEvent } from '../store/stored-event.js';
import { FencedError } from './failure.js';

/** How far a version of a projection has come. */
export interface Checkpoint {
  readonly name: string;
  readonly version: number;
  /** This version answers reads. A rebuild works at one that does not yet. */
  readonly live: boolean;
  readonly at: Position;
  /** How many events were applied. */
  readonly done: number;
  /** The columns that a rebuild has written so far. */
  readonly columns: readonly string[];
}

/** Who may move a checkpoint: the holder of the task's lease, as long as it has this epoch. */
export interface Holder {
  readonly task: string;
  readonly epoch: bigint;
}

/** The place of a version that is being filled. */
export type Place = Pick<Checkpoint, 'name' | 'version' | 'at'>;

/** The versions of these projections. */
export async function findCheckpoints(
  db: Queryable,
  names: readonly string[],
): Promise<readonly Checkpoint[]> {
  const { rows } = await db.query<CheckpointRow>({
    text: `select * from projection_checkpoints where name = any ($1) order by name, version`,
    values: [names],
  });
  return rows.map(checkpointOf);
}

/**
 * Moves the checkpoint over these events, in the transaction of their effects and before them. Of two
 * processes that move it from the same place one succeeds: the other waits here, and finds it moved.
 *
 * @throws FencedError when it was moved, or the lease was lost.
 */
export async function moveCheckpoint(
  tx: pg.ClientBase,
  { task, epoch }: Holder,
  { name, version, at }: Place,
  events: readonly StoredEvent[],
): Promise<void> {
  const to = events.at(-1) ?? at;
  const { rowCount } = await tx.query(
    `update projection_checkpoints
        set tx = $1, position = $2, done = done + $3, updated_at = now()
      where name = $4 and version = $5 and (tx, position) = ($6::xid8, $7::bigint)
        and exists (select from projection_leases where task = $8 and epoch = $9)`,
    [to.tx, to.position, events.length, name, version, at.tx, at.position, task, epoch],
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
