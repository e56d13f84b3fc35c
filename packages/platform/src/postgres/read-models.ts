import { repeat } from '@junction/async';
import type { Event } from '@junction/eventsourcing';
import {
  dropAbandonedRebuilds,
  isProjectionStopped,
  listProjections,
  type ProjectionSet,
  type ProjectionState,
  startProjections,
} from '@junction/eventsourcing-postgres';
import type { Meter, Runtime } from '@junction/service-kit/process';
import type pg from 'pg';

/** A rebuild that was left may keep what was erased, for a day and this long. */
const CLEAR_EVERY_MS = 3_600_000;

export interface ReadModelKeeping {
  /** The service's name: how this process is known to those that could take over. */
  readonly owner: string;
  readonly meter: Meter;
  readonly runtime: Pick<Runtime, 'log' | 'closing' | 'health'>;
}

/**
 * Keeps the read models of a service for as long as it lives, and lets all of them be seen
 * in its metrics. One that stopped is named by readiness, and the service stays ready: what it shows is
 * old, on every replica alike, and everything else works. Rebuilds that were left for a day are dropped.
 */
export function keepReadModels<E extends Event>(
  set: ProjectionSet<E>,
  { owner, meter, runtime: { log, closing, health } }: ReadModelKeeping,
): void {
  const running = startProjections({ ...set, owner, log });
  closing.add('projections', running, (running) => running.stop());
  const clearing = repeat(
    CLEAR_EVERY_MS,
    () => clearRebuilds(set.pool, log),
    (error) => log.warn({ err: error }, 'abandoned rebuilds stay for now; it will be tried again'),
  );
  closing.add('clearing of rebuilds', clearing, (clearing) => clearing.stop());
  clearing.wake();
  for (const { table } of set.asynchronous) {
    health.addNotice(
      `projection ${table}`,
      async () => !(await isProjectionStopped(set.pool, table)),
    );
  }
  observeProjections(meter, () => listProjections(set));
}

async function clearRebuilds(pool: pg.Pool, log: Runtime['log']): Promise<void> {
  const projections = await dropAbandonedRebuilds(pool);
  if (projections.length > 0) log.info({ projections }, 'abandoned rebuilds were dropped');
}

const STATUSES = ['running', 'waiting', 'stopped'] as const;

/** Asked for when the metrics are read. */
function observeProjections(meter: Meter, list: () => Promise<readonly ProjectionState[]>): void {
  const read = sharedWhileUnderWay(list);
  meter.gauge(
    'projection_lag_events',
    'Events not yet applied, 10,000 at most.',
    ['projection'],
    async () =>
      (await read()).map(({ name, lag }) => ({ value: lag.events, labels: { projection: name } })),
  );
  meter.gauge(
    'projection_lag_seconds',
    'Age of the first event not yet applied.',
    ['projection'],
    async () =>
      (await read()).map(({ name, lag }) => ({ value: lag.seconds, labels: { projection: name } })),
  );
  meter.gauge(
    'projection_status',
    'One for the status it has: running, waiting for a process, or stopped at an event.',
    ['projection', 'status'],
    async () =>
      (await read()).flatMap(({ name, status: now }) =>
        STATUSES.map((status) => ({
          value: Number(status === now),
          labels: { projection: name, status },
        })),
      ),
  );
}

/** Several gauges are read at the same moment; one answer does for all. */
function sharedWhileUnderWay<T>(read: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () =>
    (underWay ??= read().finally(() => {
      underWay = undefined;
    }));
}
