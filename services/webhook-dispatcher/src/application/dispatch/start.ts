import type { OnCircuitChange } from './circuits.js';
import { Dispatcher, type DispatcherNeeds } from './dispatcher.js';
import { type DueReader, type DueReaderOptions, startDueReader } from './due-reader.js';
import type { Job, Result } from './job.js';
import { keepLeases, type LeaseStore, type Leases } from './leases.js';
import { resultBuffer } from './result-buffer.js';

export interface DispatchOptions
  extends Pick<DispatcherNeeds, 'send' | 'judge' | 'circuits' | 'loadTargets' | 'settle'> {
  readonly owner: string;
  readonly leaseStore: LeaseStore;
  readonly readDue: DueReaderOptions['read'];
  readonly changedWebhooks: DueReaderOptions['changed'];
  /** Many at a time, in one statement. */
  readonly writeResults: (results: readonly Result[]) => Promise<void>;
  /** One that ends in `exhausted`, with all that follows from it. */
  readonly writeExhausted: (result: Result) => Promise<void>;
  readonly onCircuitChange: OnCircuitChange;
  readonly monotonicMs: () => number;
  readonly onError: (error: unknown) => void;
}

/** Deliveries going out. */
export interface Dispatch {
  /** Jobs whose rows are committed. */
  accept(jobs: readonly Job[]): void;
  webhookChanged(webhookId: string): void;
  /** The leases are in force. */
  healthy(): boolean;
  /** Sends nothing more, finishes what is under way, writes it, and gives the shards up. */
  stop(): Promise<void>;
}

const RESULTS_BATCH_MAX = 500;
const STOP_MAX_MS = 6_000;

/** Puts the parts together: leases say what is ours, the reader finds it, the dispatcher sends it. */
export async function startDispatch(options: DispatchOptions): Promise<Dispatch> {
  const { onError } = options;
  let leases: Leases | undefined;
  let reader: DueReader | undefined;

  const { attempts, exhausted } = resultBuffers(options, (results) => dispatcher.written(results));
  const dispatcher = new Dispatcher({
    ...options,
    epochOf: (shard) => leases?.epochOf(shard),
    push: (result) =>
      (result.fact.type === 'delivery.exhausted' ? exhausted : attempts).push(result),
    hasRoom: () => attempts.hasRoom() && exhausted.hasRoom(),
    wakeReader: () => reader?.wake(),
  });

  const held = await keepLeases({
    store: options.leaseStore,
    owner: options.owner,
    monotonicMs: options.monotonicMs,
    busy: (shard) => dispatcher.busy(shard),
    onLost: (shard) => dispatcher.dropShard(shard),
    onGained: () => reader?.wake(),
    onError,
  });
  leases = held;
  const reading = startDueReader({
    read: options.readDue,
    changed: options.changedWebhooks,
    dispatcher,
    owned: () => held.owned(),
    onFreeShards: () => held.seize(),
    onError,
  });
  reader = reading;

  return {
    accept: (jobs) => dispatcher.accept(jobs),
    webhookChanged: (webhookId) => dispatcher.webhookChanged(webhookId),
    healthy: () => held.healthy(),
    async stop() {
      const sent = dispatcher.stop(STOP_MAX_MS);
      // A shard is busy until what is under way is written, so there is nothing else to wait for.
      await Promise.all([reading.stop(), held.stop(STOP_MAX_MS), sent]);
    },
  };
}

/** What is exhausted has consequences and is written by itself; all else goes many at a time. */
const resultBuffers = (
  { writeResults, writeExhausted, onError }: DispatchOptions,
  written: (results: readonly Result[]) => void,
) => ({
  attempts: resultBuffer({ write: writeResults, written, batchMax: RESULTS_BATCH_MAX, onError }),
  exhausted: resultBuffer({
    write: async (results) => {
      for (const result of results) await writeExhausted(result);
    },
    written,
    batchMax: 1,
    onError,
  }),
});
