import { keepLeases, type Leases, type LeaseTable, type Members } from '@junction/leases';
import type { OnCircuitChange } from './circuits.js';
import { Driver } from './driver.js';
import type { DriverPorts } from './driver-ports.js';
import { type DueReader, type DueReaderOptions, startDueReader } from './due-reader.js';
import type { Job, Result } from './job.js';
import { isBusy } from './scheduler/in-hand.js';
import type { ClassName, Decided } from './scheduler/state.js';
import { type Reading, wantedShards } from './shard-shares.js';

export interface DispatchOptions
  extends Pick<DriverPorts, 'send' | 'judge' | 'circuits' | 'loadTargets' | 'settle'> {
  readonly owner: string;
  readonly shardLeases: LeaseTable<number>;
  readonly replicas: Members<Reading>;
  readonly readDue: DueReaderOptions['read'];
  readonly readInTurns: DueReaderOptions['readInTurns'];
  readonly readOf: DueReaderOptions['readOf'];
  readonly readOrdered: DueReaderOptions['readOrdered'];
  readonly changedWebhooks: DueReaderOptions['changed'];
  /** Writes many results in one statement. */
  readonly writeResults: (results: readonly Result[]) => Promise<void>;
  /** Writes many results that end in `exhausted`, and publishes and notifies that. */
  readonly writeExhausted: (results: readonly Result[]) => Promise<void>;
  /** Writes many results that the egress guard refused, with the notices that follow. */
  readonly writeRefused: (results: readonly Result[]) => Promise<void>;
  /** Writes a delivery that is exhausted because its receiver is gone, and disables its webhook. */
  readonly writeGone: (result: Result) => Promise<void>;
  readonly onCircuitChange: OnCircuitChange;
  /** Calls the other replicas: something is due, a webhook changed, or a shard is free. */
  readonly notifyOthers: () => void;
  /** Called when this replica gained or lost so many shards. */
  readonly onShards: (change: 'gained' | 'lost', count: number) => void;
  readonly monotonicMs: () => number;
  readonly onError: (error: unknown) => void;
}

/** Sending of deliveries. */
export interface Dispatch {
  /** Resolves when more may be taken in, within half a second. */
  ready(): Promise<void>;
  /** Takes in jobs whose rows are committed. */
  accept(jobs: readonly Job[]): void;
  /**
   * Takes a job whose row is not written yet, if it can be sent at once. Returns whether it was taken. `decided` is
   * called once: with the result of the attempt if that ends before `filed` is called, or with undefined when the job
   * is let go unsent; then the caller files it, and it is found in the table.
   */
  sendAhead(job: Job, decided: Decided): boolean;
  /**
   * Treats these jobs, whose rows are committed as pending, like any other from here on. Results that `decided` was
   * called with and that are no success are handed in here, to be written as all results are.
   */
  filed(jobs: readonly Job[], results: readonly Result[]): void;
  /**
   * Drops jobs that were sent ahead and not filed from what is in hand: their success is committed, or they are given
   * up.
   */
  settled(jobs: readonly Job[]): void;
  /** Has the webhook loaded again here, and notifies the other replicas. */
  webhookChanged(webhookId: string): void;
  /** Has the reader look at once, because another replica calls. */
  wake(): void;
  /** Sets the partitions of events that this replica consumes: it should best send for their users. */
  consuming(partitions: () => readonly number[]): void;
  /** Returns whether the leases are in force. */
  healthy(): boolean;
  /** Returns how many shards this replica sends for. */
  shards(): number;
  /** Returns the requests under way, by whether their receivers are known to answer soon. */
  underWay(): Readonly<Record<ClassName, number>>;
  /** Sends nothing more, finishes and writes what is under way, and gives up the shards. */
  stop(): Promise<void>;
}

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
    write: writesOf(options),
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
    read: options.readDue,
    readInTurns: options.readInTurns,
    readOf: options.readOf,
    readOrdered: options.readOrdered,
    changed: options.changedWebhooks,
    driver,
    owned: () => leases.owned(),
    onFreeShards: () => leases.seize(),
    onError,
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
  accept: (jobs) => driver.handle({ kind: 'accepted', jobs }),
  sendAhead: (job, decided) => sendAhead(driver, job, decided),
  filed: (jobs, results) => driver.handle({ kind: 'filed', jobs, results }),
  settled: (jobs) => driver.handle({ kind: 'settled', jobs }),
  webhookChanged(webhookId) {
    driver.handle({ kind: 'webhookChanged', webhookId });
    notifyOthers();
  },
  wake: () => reader.wake(),
  consuming: (partitions) => void (links.partitions = partitions),
  healthy: () => leases.healthy(),
  shards: () => leases.owned().length,
  underWay() {
    const { responsive, unresponsive } = driver.state.classes;
    return { responsive: responsive.taken, unresponsive: unresponsive.taken };
  },
  async stop() {
    const sent = driver.stop(STOP_MAX_MS);
    // A shard is busy until what is under way is written, so there is nothing else to wait for.
    await Promise.all([reader.stop(), leases.stop(STOP_MAX_MS), sent]);
  },
});

function sendAhead(driver: Driver, job: Job, decided: Decided): boolean {
  driver.handle({ kind: 'offeredAhead', job, decided });
  return driver.state.turnedAway === 0;
}

/**
 * Returns the writes by batch. Each webhook that is gone is disabled together with its delivery, in a call of its own.
 */
const writesOf = (options: DispatchOptions): DriverPorts['write'] => ({
  attempts: options.writeResults,
  exhausted: options.writeExhausted,
  refused: options.writeRefused,
  async gone(results) {
    for (const result of results) await options.writeGone(result);
  },
});
