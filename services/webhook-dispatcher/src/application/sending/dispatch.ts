import { keepLeases, type Leases } from '@junction/eventsourcing/leases';
import { Driver } from './driver.js';
import { type DueReader, startDueReader } from './due-reader.js';
import type { Dispatch, DispatchOptions } from './ports.js';
import { isBusy } from './scheduler/in-hand.js';
import { wantedShards } from './shard-shares.js';

const STOP_MAX_MS = 6_000;

/** Parts that know each other, in whatever order they are made. */
interface Links {
  leases?: Leases<number>;
  reader?: DueReader;
  partitions: () => readonly number[];
}

/**
 * Starts the parts and connects them: the leases say which shards are ours, the reader finds their deliveries, and the
 * scheduler says what is sent.
 */
export async function startDispatch(options: DispatchOptions): Promise<Dispatch> {
  const { owner, replicas, onShards, monotonicMs, onError } = options;
  const links: Links = { partitions: () => [] };
  const driver = new Driver({
    ...options,
    epochOf: (shard) => links.leases?.epochOf(shard),
    wakeReader: () => links.reader?.wake(),
  });

  const leases = await keepLeases({
    table: options.shardLeases,
    wanted: async () =>
      wantedShards(owner, await replicas.announce({ partitions: links.partitions() })),
    retire: replicas.retire,
    monotonicMs,
    busy: (shard) => isBusy(driver.state.inHand, shard),
    onLost(shard) {
      onShards('lost', 1);
      driver.handle({ kind: 'shardLost', shard });
      links.reader?.shardLost(shard);
    },
    onGained(count) {
      onShards('gained', count);
      links.reader?.wake();
    },
    onReleased: options.notifyOthers,
    onError,
  });
  links.leases = leases;
  const reader = startDueReader({
    ...options,
    driver,
    owned: () => leases.owned(),
    onFreeShards: () => leases.seize(),
  });
  links.reader = reader;

  return dispatchOf(options, driver, { leases, reader, links });
}

const dispatchOf = (
  { notifyOthers }: DispatchOptions,
  driver: Driver,
  { leases, reader, links }: { leases: Leases<number>; reader: DueReader; links: Links },
): Dispatch => ({
  ready: () => driver.ready(),
  accept: (jobs) => driver.accept(jobs),
  offerAhead: (job, decided) => driver.offerAhead(job, decided),
  stored: (jobs, results) => driver.stored(jobs, results),
  released: (jobs) => driver.released(jobs),
  webhookChanged(webhookId) {
    driver.handle({ kind: 'webhookChanged', webhookId });
    notifyOthers();
  },
  wake: () => reader.wake(),
  wakeAll() {
    reader.wake();
    notifyOthers();
  },
  consuming: (partitions) => void (links.partitions = partitions),
  healthy: () => leases.healthy(),
  shards: () => leases.owned().length,
  underWay() {
    const { responsive, unresponsive } = driver.state.classes;
    return { responsive: responsive.taken, unresponsive: unresponsive.taken };
  },
  hostsHeld: () => driver.state.holding.size,
  async stop() {
    const sent = driver.stop(STOP_MAX_MS);
    // A shard is busy until what is under way is written, so there is nothing else to wait for.
    await Promise.all([reader.stop(), leases.stop(STOP_MAX_MS), sent]);
  },
});
