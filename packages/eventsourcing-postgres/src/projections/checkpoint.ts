import type pg from 'pg';
import type { Queryable } from '../queryable.js';
import type { Position } from '../read-all.js';
import type { StoredEvent } from '../stored-event.js';
import { FencedError } from './failure.js';

/** How far a version of a projection has come. */
export interface Checkpoint {
  readonly name: string;
  readonly version: number;
  /** This version answers reads. A rebuild works at one that does not yet. */
  readonly live: boolean;
  readonly at: Position;
  /** How many events it took. */
  readonly done: number;
  /** What a rebuild has written so far. */
  readonly columns: readonly string[];
  readonly stopped: StoppedAt | undefined;
}

/** The event that stopped a projection. */
export interface StoppedAt {
  readonly position: bigint;
  readonly type: string;
  /** Without anybody's data. */
  readonly reason: string;
  readonly at: Date;
}

/** Who may move a checkpoint: the holder of the task's lease, as long as it has this epoch. */
export interface Holder {
  readonly task: string;
  readonly epoch: bigint;
}

/** The place of a version that somebody works at. */
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
 * who move it from the same place one does: the other waits here, and finds it moved.
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
        set tx = $1, position = $2, done = done + $3, updated_at = now(), ${NOT_STOPPED}
      where name = $4 and version = $5 and (tx, position) = ($6::xid8, $7::bigint) and ${HELD}`,
    [to.tx, to.position, events.length, name, version, at.tx, at.position, task, epoch],
  );
  if (rowCount !== 1) throw new FencedError(name);
}

/** Writes down that this event, the next after the checkpoint, could not be handled. */
export async function stopAt(
  db: pg.Pool,
  { task, epoch }: Holder,
  { name, version, at }: Place,
  event: StoredEvent,
  reason: string,
): Promise<void> {
  const { rowCount } = await db.query(
    `update projection_checkpoints
        set stopped_position = $1, stopped_type = $2, stopped_reason = $3, stopped_at = now()
      where name = $4 and version = $5 and (tx, position) = ($6::xid8, $7::bigint) and ${HELD}`,
    [event.position, event.type, reason, name, version, at.tx, at.position, task, epoch],
  );
  if (rowCount !== 1) throw new FencedError(name);
}

const HELD = 'exists (select from projection_leases where task = $8 and epoch = $9)';

export const NOT_STOPPED =
  'stopped_position = null, stopped_type = null, stopped_reason = null, stopped_at = null';

export interface CheckpointRow {
  readonly name: string;
  readonly version: number;
  readonly live: boolean;
  readonly tx: string;
  readonly position: string;
  readonly done: string;
  readonly columns: readonly string[];
  readonly stopped_position: string | null;
  readonly stopped_type: string | null;
  readonly stopped_reason: string | null;
  readonly stopped_at: Date | null;
}

export const checkpointOf = (row: CheckpointRow): Checkpoint => ({
  name: row.name,
  version: row.version,
  live: row.live,
  at: { tx: BigInt(row.tx), position: BigInt(row.position) },
  done: Number(row.done),
  columns: row.columns,
  stopped:
    row.stopped_at === null
      ? undefined
      : {
          position: BigInt(row.stopped_position ?? 0),
          type: row.stopped_type ?? '',
          reason: row.stopped_reason ?? '',
          at: row.stopped_at,
        },
});
