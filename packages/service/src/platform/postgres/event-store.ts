import { repeat } from '@junction/async';
import {
  type Migration,
  maintainEventStore,
  type Notifier,
  postgresNotifier,
  readerFenceAge,
  refuseForeign,
  refuseUnfinishedRestore,
  requireMigrated,
} from '@junction/eventsourcing/postgres';
import type pg from 'pg';
import type { Meter, Runtime } from '../../process/index.js';
import { ownerOf } from './owner-of.js';

/** Often enough for 30,000 appends a second, of which the partitions made ahead hold ten minutes. */
const UPKEEP_EVERY_MS = 300_000;

export interface EventStoreOpening {
  readonly pool: pg.Pool;
  /** Name of the service that the database belongs to. */
  readonly name: string;
  /** Migrations that this service expects to have been run. */
  readonly migrations: readonly Migration[];
  /** Meter for the age of what holds readers of events up. */
  readonly meter: Meter;
  readonly runtime: Runtime;
}

/**
 * Waits until the service's database answers, is its own, has its schema, and is no restored database whose restore has
 * not been finished. Then keeps the event store in order for as long as the service lives, and the service ready only
 * while the database answers. Returns the notifier of its commits.
 */
export async function openEventStore({
  pool,
  name,
  migrations,
  meter,
  runtime: { waitFor, health, closing, log },
}: EventStoreOpening): Promise<Notifier> {
  await waitFor('postgres', async () => pool.query('select'));
  await waitFor('owner', async () => refuseForeign(pool, ownerOf(name), migrations));
  await waitFor('schema', async () => requireMigrated(pool, migrations));
  await waitFor('restore', async () => refuseUnfinishedRestore(pool));
  await waitFor('partitions', async () => maintainEventStore(pool));
  health.add('postgres', async () => (await pool.query('select')).rowCount === 1);

  observeReaders(meter, pool);
  const upkeep = repeat(
    UPKEEP_EVERY_MS,
    async () => void (await maintainEventStore(pool)),
    (error) => log.error({ err: error }, 'upkeep of the event store failed; it will be repeated'),
  );
  closing.add('event store upkeep', upkeep, (upkeep) => upkeep.stop());

  const onError = (error: unknown) => log.debug({ err: error }, 'a notification was lost');
  const notifier = postgresNotifier({ pool, onError });
  return closing.add('notifier', notifier, () => notifier.close());
}

/** Measures how long the oldest writing transaction has kept the events of later transactions from being read. */
function observeReaders(meter: Meter, pool: pg.Pool): void {
  const age = readerFenceAge(pool);
  meter.gauge(
    'junction_reader_fence_age_seconds',
    'Age of the oldest transaction in the cluster that holds readers of events up.',
    [],
    async () => [{ value: await age() }],
  );
}
