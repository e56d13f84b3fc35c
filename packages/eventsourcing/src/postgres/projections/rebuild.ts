import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, repeat } from '@junction/async';
import { AppError, isOutage } from '@junction/errors';
import type { Event } from '../../index.js';
import { LEASE, type LeaseTable, type LeaseTimes } from '../leases/index.js';
import { readAll } from '../store/read-all.js';
import { type Application, applyBatch } from './apply-batch.js';
import { type Checkpoint, findCheckpoint } from './checkpoint.js';
import { FencedError, RebuildStoppedError } from './failure.js';
import { rebuildLeases } from './lease.js';
import { type ProgressMeter, progressMeter, type RebuildProgress } from './progress.js';
import { BATCH, type ProjectionSet, projectionNamed } from './projection-set.js';
import { countEvents, deleteRebuildTable, openRebuild, rebuildTable } from './rebuild-table.js';
import { switchOver } from './switch-over.js';

export interface RebuildOptions {
  /** Ends the rebuild between two batches. The next rebuild resumes there. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Interval at which the lease is renewed, and time without a renewal after which another process may resume the
   * rebuild.
   */
  readonly lease?: LeaseTimes | undefined;
}

/** Number of outages that are waited out, up to 2 s each, before the rebuild fails. */
const OUTAGES_MAX = 60;

/** Number of attempts to lock the table, each waiting longer for it, up to 2 s. */
const SWITCHES_MAX = 60;

const SWITCH_WAIT_MIN_MS = 250;
const SWITCH_WAIT_MAX_MS = 2_000;

/**
 * Fills a new version of a projection from all events, beside the live one, and lets it take over in one transaction.
 * Yields its progress whenever the caller wants it. Publishes nothing and appends nothing.
 *
 * When the rebuild is broken off at any point, by `return`, a signal or kill -9, the live version stays as it was. The
 * next call, here or in another process, resumes after the last batch.
 */
export async function* rebuildProjection<E extends Event>(
  set: ProjectionSet<E>,
  name: string,
  options: RebuildOptions = {},
): AsyncGenerator<RebuildProgress, void> {
  const { signal } = options;
  const projection = projectionNamed(set, name);
  const lease = await takeLease(set, name, options);
  try {
    const checkpoint = await openRebuild(set.pool, projection);
    const { version } = checkpoint;
    const application: Application<E> = {
      ...set,
      projection,
      table: rebuildTable(projection.table, version),
      epoch: lease.epoch,
    };
    const total = checkpoint.done + (await countEvents(set.pool, projection, checkpoint));
    const meter = progressMeter({ name, version }, checkpoint.done, total);
    yield meter('filling', checkpoint.done);
    yield* fillAndSwitch(application, { from: checkpoint, meter, signal });
  } catch (error) {
    throw explained(error, name);
  } finally {
    await lease.release();
  }
}

/** Deletes what a rebuild that is not under way has filled, so that the next one begins at the first event. */
export async function discardRebuild<E extends Event>(
  set: ProjectionSet<E>,
  name: string,
): Promise<void> {
  const projection = projectionNamed(set, name);
  const lease = await takeLease(set, name, {});
  try {
    if (await deleteRebuildTable(set.pool, projection.table)) return;
    throw new AppError('no_rebuild', `Projection "${name}" is not being rebuilt.`);
  } finally {
    await lease.release();
  }
}

interface Filling {
  readonly from: Checkpoint;
  readonly meter: ProgressMeter;
  readonly signal: AbortSignal | undefined;
}

/**
 * Fills the table and takes over. Before each attempt to lock the live table the new one is filled as far as the fence
 * allows, so that little is left to do under the lock.
 */
async function* fillAndSwitch<E extends Event>(
  application: Application<E>,
  { from, meter, signal }: Filling,
): AsyncGenerator<RebuildProgress, void> {
  let filled = from;
  for (let tries = 1; ; tries++) {
    filled = yield* fill(application, { from: filled, meter, signal });
    yield meter('switching', filled.done);
    try {
      const lockWaitMs = Math.min(SWITCH_WAIT_MIN_MS * tries, SWITCH_WAIT_MAX_MS);
      return yield meter('done', await switchOver(application, filled, lockWaitMs));
    } catch (error) {
      if (!isOutage(error) || tries === SWITCHES_MAX) throw error;
      const found = await storedAfter(tries, application, filled, signal);
      if (found === undefined || found.live) return yield meter('done', filled.done);
    }
  }
}

async function* fill<E extends Event>(
  application: Application<E>,
  { from, meter, signal }: Filling,
): AsyncGenerator<RebuildProgress, Checkpoint> {
  const { pool, projection } = application;
  let checkpoint = from;
  for (let outages = 0; ; ) {
    signal?.throwIfAborted();
    try {
      const events = await readAll(pool, checkpoint.at, BATCH, { category: projection.aggregate });
      const at = await applyBatch(application, checkpoint, events);
      checkpoint = { ...checkpoint, at, done: checkpoint.done + events.length };
      outages = 0;
      if (events.length < BATCH) return checkpoint;
    } catch (error) {
      if (!isOutage(error) || ++outages > OUTAGES_MAX) throw error;
      checkpoint = (await storedAfter(outages, application, checkpoint, signal)) ?? checkpoint;
    }
    yield meter('filling', checkpoint.done);
  }
}

/**
 * Returns the checkpoint after so many failures in a row: whether the last batch was stored may be unknown. Undefined
 * when there is no checkpoint any more.
 */
async function storedAfter<E extends Event>(
  failures: number,
  { pool }: Application<E>,
  checkpoint: Checkpoint,
  signal: AbortSignal | undefined,
): Promise<Checkpoint | undefined> {
  for (let outages = failures; ; outages++) {
    await sleep(backoffMs(outages), undefined, { signal });
    try {
      return await findCheckpoint(pool, checkpoint);
    } catch (error) {
      if (!isOutage(error) || outages >= OUTAGES_MAX) throw error;
    }
  }
}

interface HeldLease {
  readonly epoch: string;
  release(): Promise<void>;
}

/** Takes the lease. Waits at most as long as a lease lasts that nobody renews any more. */
async function takeLease<E extends Event>(
  { pool }: ProjectionSet<E>,
  name: string,
  { signal, lease: { renewMs, expiryMs } = LEASE }: RebuildOptions,
): Promise<HeldLease> {
  const leases = rebuildLeases(pool, expiryMs);
  const untilMs = performance.now() + expiryMs + renewMs;
  for (;;) {
    const [held] = await leases.hold([name]);
    if (held) return { epoch: held.epoch, release: keepLease(leases, name, renewMs) };
    if (performance.now() > untilMs) throw beingRebuilt(name);
    await sleep(renewMs / 4, undefined, { signal });
  }
}

/**
 * Renews the lease, until the returned function is called. A failed renewal is made up for by the next one; when the
 * lease was lost, moving the checkpoint fails.
 */
function keepLease(leases: LeaseTable<string>, name: string, renewMs: number): () => Promise<void> {
  const renewing = repeat(
    renewMs,
    async () => void (await leases.hold([name])),
    () => undefined,
  );
  return async () => {
    await renewing.stop();
    await leases.release([name]).catch(() => undefined);
  };
}

const beingRebuilt = (name: string, cause?: unknown): AppError =>
  new AppError('rebuild_under_way', `Projection "${name}" is being rebuilt by somebody else.`, {
    cause,
  });

function explained(error: unknown, name: string): unknown {
  if (error instanceof FencedError) return beingRebuilt(name, error);
  if (!(error instanceof RebuildStoppedError)) return error;
  return new AppError(
    'rebuild_stopped',
    `The rebuild of "${name}" ${error.message}. ` +
      'Correct the projection and begin the rebuild again: it goes on from here.',
    { cause: error },
  );
}
