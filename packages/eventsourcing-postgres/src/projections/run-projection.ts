import { backoffMs, pause, signal as wakeSignal } from '@junction/async';
import type { Event } from '@junction/eventsourcing';
import type pg from 'pg';
import { follow } from '../follow.js';
import type { RowProjection } from '../row-projection.js';
import { inTransaction } from '../transaction.js';
import { applyBatch, ProjectionStoppedError } from './apply-batch.js';
import { requireAllEvents } from './archived-events.js';
import { type Checkpoint, findCheckpoints, type Holder, NOT_STOPPED } from './checkpoint.js';
import { FencedError, isPassing } from './failure.js';
import type { LeaseTimes } from './lease.js';
import { PROJECTIONS, type ProjectionSet } from './projection-set.js';

/** How often to look whether a stopped projection may go on, without having been called. */
const LOOK_EVERY_MS = 5_000;

/** What is said, and to whom. A pino logger fits; `err` is the field for an error. */
export interface ProjectionLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface ProjectionsOptions<E extends Event> extends ProjectionSet<E> {
  /** Names this process in the lease table; made unique, so restarts may use it again. */
  readonly owner: string;
  readonly log: ProjectionLog;
  /** How often leases are renewed, and after how long without that they are free to take. */
  readonly lease?: LeaseTimes | undefined;
  /** Events at most in one transaction. Default 500. */
  readonly batchMax?: number | undefined;
  /** How often to look without having been called. Default 5 s. */
  readonly lookEveryMs?: number | undefined;
}

export interface Run<E extends Event> extends ProjectionsOptions<E> {
  readonly projection: RowProjection<E>;
  readonly holder: Holder;
  readonly signal: AbortSignal;
  /** The lease may be gone: time to look. */
  readonly onFenced: () => void;
}

/** Works at one projection until it is called off. Rejects never. */
export async function runProjection<E extends Event>(run: Run<E>): Promise<void> {
  const { projection, signal, log } = run;
  let isNew = true;
  for (let failures = 0; !signal.aborted; ) {
    try {
      // Whoever takes it over tries by itself what stopped the one before: it may know better.
      const checkpoint = await begin(run, isNew);
      isNew = false;
      if (checkpoint.stopped) await untilCalled(run);
      else await project(run, checkpoint, () => (failures = 0));
    } catch (error) {
      if (error instanceof ProjectionStoppedError) {
        log.error(error.words, 'a projection stopped at an event it cannot handle');
        continue;
      }
      const about = { projection: projection.table, err: error };
      failures++;
      if (error instanceof FencedError) run.onFenced();
      else if (isPassing(error)) log.warn(about, 'a projection waits for its surroundings');
      else log.error(about, 'a projection failed outside of its events');
      await pause(backoffMs(failures), signal);
    }
  }
}

/**
 * Where it stands; before the first event when nobody ever worked at it.
 * @throws AppError `events_archived` when it would have to begin without some of them.
 */
async function begin<E extends Event>(
  { pool, projection: { table } }: Run<E>,
  isNew: boolean,
): Promise<Checkpoint> {
  if (isNew) {
    if (!(await findLive(pool, table))) await beginAtTheFirst(pool, table);
    await pool.query(
      `update projection_checkpoints set ${NOT_STOPPED}
        where name = $1 and live and stopped_at is not null`,
      [table],
    );
  }
  const live = await findLive(pool, table);
  if (!live) throw new FencedError(table);
  return live;
}

async function findLive(pool: pg.Pool, table: string): Promise<Checkpoint | undefined> {
  return (await findCheckpoints(pool, [table])).find(({ live }) => live);
}

async function beginAtTheFirst(pool: pg.Pool, table: string): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await requireAllEvents(tx, table);
    await tx.query(
      `insert into projection_checkpoints (name, version, live)
       select $1, 1, true
        where not exists (select from projection_checkpoints where name = $1 and live)`,
      [table],
    );
  });
}

async function project<E extends Event>(
  run: Run<E>,
  checkpoint: Checkpoint,
  onApplied: () => void,
): Promise<void> {
  const { pool, notifier, projection, signal, log, batchMax, lookEveryMs } = run;
  const application = { ...run, table: projection.table };
  let { at } = checkpoint;
  const options = {
    db: pool,
    notifier,
    from: at,
    signal,
    category: projection.aggregate,
    batchMax,
    lookEveryMs,
    onError: (error: unknown) =>
      log.warn({ projection: projection.table, err: error }, 'a projection could not read events'),
  };
  await follow(options, async (events) => {
    at = await applyBatch(application, { ...checkpoint, at }, events);
    onApplied();
  });
}

/** Until somebody decided about what stopped it, or it is worth a look. */
async function untilCalled<E extends Event>({
  notifier,
  signal,
  lookEveryMs = LOOK_EVERY_MS,
}: Run<E>): Promise<void> {
  const called = wakeSignal();
  const hearNoMore = notifier.listen(PROJECTIONS, called.set);
  await called.wait(lookEveryMs, signal);
  hearNoMore();
}
