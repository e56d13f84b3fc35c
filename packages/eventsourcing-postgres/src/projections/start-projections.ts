import { randomUUID } from 'node:crypto';
import { repeat } from '@junction/async';
import type { Event } from '@junction/eventsourcing';
import type { RowProjection } from '../row-projection.js';
import { LEASE, projectionLeases, type Renewal } from './lease.js';
import { PROJECTIONS } from './projection-set.js';
import { type ProjectionLog, type ProjectionsOptions, runProjection } from './run-projection.js';

export interface RunningProjections {
  /** Finishes the batches under way and leaves the projections to the other replicas. */
  stop(): Promise<void>;
}

interface Running {
  readonly epoch: bigint;
  readonly off: AbortController;
  readonly done: Promise<void>;
}

/**
 * Keeps the asynchronous projections of a set: all events, or those of one aggregate, each applied once,
 * in reading order, in one transaction with the checkpoint. Of several replicas one works at a projection, and
 * another takes over when it is gone. Postgres may go and come back at any time.
 *
 * A projection that cannot handle an event stops there and says so (`listProjections`); the others go on.
 */
export function startProjections<E extends Event>(
  options: ProjectionsOptions<E>,
): RunningProjections {
  const { pool, notifier, asynchronous, log, lease: { renewMs, expiryMs } = LEASE } = options;
  if (asynchronous.length === 0) return { stop: async () => {} };
  const owner = `${options.owner}/${randomUUID()}`;
  const tasks = asynchronous.map(({ table }) => table);
  const leases = projectionLeases(pool, owner, tasks, expiryMs);
  const running = new Map<string, Running>();

  const start = (projection: RowProjection<E>, epoch: bigint): void => {
    const off = new AbortController();
    const holder = { task: projection.table, epoch };
    const run = { ...options, projection, holder, signal: off.signal, onFenced: renewing.wake };
    const done = runProjection(run).finally(() => running.delete(projection.table));
    running.set(projection.table, { epoch, off, done });
  };
  const hold = ({ held }: Renewal): void => {
    for (const projection of asynchronous) {
      const epoch = held.get(projection.table);
      const ours = running.get(projection.table);
      if (ours && ours.epoch !== epoch) ours.off.abort();
      if (!ours && epoch !== undefined) start(projection, epoch);
    }
  };
  const renewing = repeat(
    renewMs,
    async () => {
      const renewal = await leases.renew();
      hold(renewal);
      // Of one that died nothing is heard: look again just when its lease runs out.
      return renewal.othersExpireInMs + 20;
    },
    notRenewed(log),
  );
  const hearNoMore = notifier.listen(PROJECTIONS, renewing.wake);
  renewing.wake();

  return {
    async stop() {
      hearNoMore();
      await renewing.stop();
      for (const { off } of running.values()) off.abort();
      await Promise.all([...running.values()].map(({ done }) => done));
      await leases.release().catch((error: unknown) => {
        log.warn({ err: error }, 'the leases of projections stay until they run out');
      });
      notifier.notify(PROJECTIONS);
    },
  };
}

const notRenewed =
  (log: ProjectionLog) =>
  (error: unknown): void =>
    log.warn({ err: error }, 'projections: leases not renewed');
