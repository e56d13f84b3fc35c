import type { OnCircuitChange } from './circuits.js';
import { Dispatcher, type DispatcherPorts } from './dispatcher.js';
import { type DueReader, type DueReaderOptions, startDueReader } from './due-reader.js';
import { INGEST_RATE, ingestBuckets } from './ingest-buckets.js';
import type { Job, Result } from './job.js';
import { keepLeases, type LeaseStore, type Leases } from './leases.js';
import { resultBuffer } from './result-buffer.js';

export interface DispatchOptions
  extends Pick<DispatcherPorts, 'send' | 'judge' | 'circuits' | 'loadTargets' | 'settle'> {
  readonly owner: string;
  readonly leaseStore: LeaseStore;
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
  readonly monotonicMs: () => number;
  readonly onError: (error: unknown) => void;
}

/** Deliveries going out. */
export interface Dispatch {
  /** Resolves when more may be taken in, within half a second. */
  ready(): Promise<void>;
  /** Jobs whose rows are committed. */
  accept(jobs: readonly Job[]): void;
  /** Here; the other replicas are told. */
  webhookChanged(webhookId: string): void;
  /** Another replica calls. */
  wake(): void;
  /** Says which partitions of events this replica consumes: it would best send for their users. */
  consuming(partitions: () => readonly number[]): void;
  /** The leases are in force. */
  healthy(): boolean;
  /** Sends nothing more, finishes what is under way, writes it, and gives the shards up. */
  stop(): Promise<void>;
}

const RESULTS_BATCH_MAX = 500;
const STOP_MAX_MS = 6_000;

/** Parts that know each other, in whatever order they come to be. */
interface Links {
  leases?: Leases;
  reader?: DueReader;
  partitions: () => readonly number[];
}

/** Puts the parts together: leases say what is ours, the reader finds it, the dispatcher sends it. */
export async function startDispatch(options: DispatchOptions): Promise<Dispatch> {
  const { owner, monotonicMs, onError } = options;
  const links: Links = { partitions: () => [] };
  const dispatcher = dispatcherOf(options, links);

  const leases = await keepLeases({
    store: options.leaseStore,
    owner,
    partitions: () => links.partitions(),
    monotonicMs,
    busy: (shard) => dispatcher.busy(shard),
    onLost: (shard) => dispatcher.dropShard(shard),
    onGained: () => links.reader?.wake(),
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
    dispatcher,
    owned: () => leases.owned(),
    onFreeShards: () => leases.seize(),
    onError,
  });
  links.reader = reader;

  return {
    ready: () => dispatcher.ready(),
    accept: (jobs) => dispatcher.accept(jobs),
    webhookChanged(webhookId) {
      dispatcher.webhookChanged(webhookId);
      options.notifyOthers();
    },
    wake: () => reader.wake(),
    consuming: (partitions) => void (links.partitions = partitions),
    healthy: () => leases.healthy(),
    async stop() {
      const sent = dispatcher.stop(STOP_MAX_MS);
      // A shard is busy until what is under way is written, so there is nothing else to wait for.
      await Promise.all([reader.stop(), leases.stop(STOP_MAX_MS), sent]);
    },
  };
}

function dispatcherOf(options: DispatchOptions, links: Links): Dispatcher {
  const buffers = resultBuffers(options, (results) => dispatcher.written(results));
  const dispatcher = new Dispatcher({
    ...options,
    epochOf: (shard) => links.leases?.epochOf(shard),
    push: (result) => buffers[bufferOf(result)].push(result),
    hasRoom: () => Object.values(buffers).every((buffer) => buffer.hasRoom()),
    admits: ingestBuckets(INGEST_RATE, options.monotonicMs),
    wakeReader: () => links.reader?.wake(),
  });
  return dispatcher;
}

/** What is exhausted is told; a webhook that is gone is disabled with its delivery, each by itself. */
const bufferOf = ({ fact, record }: Result): keyof ReturnType<typeof resultBuffers> => {
  if (record.outcome.kind === 'refused') return 'refused';
  if (fact.type !== 'delivery.exhausted') return 'attempts';
  return fact.data.gone ? 'gone' : 'exhausted';
};

const resultBuffers = (options: DispatchOptions, written: (results: readonly Result[]) => void) => {
  const { writeResults, writeExhausted, writeRefused, writeGone, monotonicMs, onError } = options;
  const common = { written, batchMax: RESULTS_BATCH_MAX, monotonicMs, onError };
  const writeEach = async (results: readonly Result[]) => {
    for (const result of results) await writeGone(result);
  };
  return {
    attempts: resultBuffer({ ...common, write: writeResults }),
    exhausted: resultBuffer({ ...common, write: writeExhausted }),
    refused: resultBuffer({ ...common, write: writeRefused }),
    gone: resultBuffer({ ...common, write: writeEach, batchMax: 1 }),
  };
};
