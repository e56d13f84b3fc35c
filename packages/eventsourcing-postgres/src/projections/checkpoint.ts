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

/** The place of a version that is being filled. */
export type Place = Pick<Checkpoint, 'name' | 'version' | 'at'>;

/** Undefined: there is no such version, or none any more. */
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
 * Moves the checkpoint over these events, in the transaction of their effects and before them. Of two
 * processes that move it from the same place one succeeds: the other waits here, and finds it moved.
 * `epoch`: that of the lease under which it may be moved.
 *
 * @throws FencedError when it was moved, or the lease was lost.
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
