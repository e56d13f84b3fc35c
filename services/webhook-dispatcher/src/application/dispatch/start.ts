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
  /** Many at a time, in one statement. */
  readonly writeResults: (results: readonly Result[]) => Promise<void>;
  /** Many that end in `exhausted`, with what is told of them. */
  readonly writeExhausted: (results: readonly Result[]) => Promise<void>;
  /** Many that the egress guard refused, with what is told of them. */
  readonly writeRefused: (results: readonly Result[]) => Promise<void>;
  /** One that is exhausted because its receiver is gone, with its webhook. */
  readonly writeGone: (result: Result) => Promise<void>;
  readonly onCircuitChange: OnCircuitChange;
  /** Calls the other replicas: something is due, a webhook changed, or a shard is free. */
  readonly notifyOthers: () => void;
  /** So many shards came to this replica, or left it. */
  readonly onShards: (change: 'gained' | 'lost', count: number) => void;
  readonly monotonicMs: () => number;
  readonly onError: (error: unknown) => void;
}

/** Deliveries going out. */
export interface Dispatch {
  /** Resolves when more may be taken in, within half a second. */
  ready(): Promise<void>;
  /** Jobs whose rows are committed. */
  accept(jobs: readonly Job[]): void;
  /**
   * Takes a job whose row is not written yet, if it can be sent at once: says whether it did. `decided` is called once:
   * with the result of its attempt if that ends before `filed` is called, or with undefined when the job is let go
   * unsent; then it is to be filed, and is found in the table.
   */
  sendAhead(job: Job, decided: Decided): boolean;
  /**
   * The rows of these are committed as pending: they are like any other from here on. A result that `decided` was
   * called with, and that is no success, is handed in here to be written as all results are.
   */
  filed(jobs: readonly Job[], results: readonly Result[]): void;
  /** Jobs sent ahead and not filed, whose success is committed or that are given up: in hand no more. */
  settled(jobs: readonly Job[]): void;
  /** Here; the other replicas are told. */
  webhookChanged(webhookId: string): void;
  /** Another replica calls. */
  wake(): void;
  /** Says which partitions of events this replica consumes: it would best send for their users. */
  consuming(partitions: () => readonly number[]): void;
  /** The leases are in force. */
  healthy(): boolean;
  /** How many shards it sends for. */
  shards(): number;
  /** Requests under way, by whether their receivers are known to answer soon. */
  underWay(): Readonly<Record<ClassName, number>>;
  /** Sends nothing more, finishes what is under way, writes it, and gives the shards up. */
  stop(): Promise<void>;
}

const STOP_MAX_MS = 6_000;

/** Parts that know each other, in whatever order they come to be. */
interface Links {
  leases?: Leases<number>;
  reader?: DueReader;
  partitions: () => readonly number[];
}

/** Puts the parts together: leases say what is ours, the reader finds it, the scheduler says what is sent. */
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

/** A webhook that is gone is disabled with its delivery, each by itself. */
const writesOf = (options: DispatchOptions): DriverPorts['write'] => ({
  attempts: options.writeResults,
  exhausted: options.writeExhausted,
  refused: options.writeRefused,
  async gone(results) {
    for (const result of results) await options.writeGone(result);
  },
});
