import { backoffMs, batcher, repeat } from '@junction/async';
import type pg from 'pg';
import type { DeadLetter } from '../dead-letters/dead-letter.js';
import type {
  FetchedBatch,
  KafkaPort,
  PartitionControl,
  SkippedBatch,
  TopicPartition,
} from '../kafka/kafka-port.js';
import type { Log } from '../log.js';
import { nextBatchSize } from './batch-size.js';
import { type DeadLetterLog, deadLetterLog } from './dead-letter-log.js';
import { callAfterCommit, type Handle } from './handle.js';
import { locate } from './locate.js';
import { moveOffsets, OffsetMovedError } from './offsets.js';
import {
  type AssignedPartition,
  assignedPartition,
  isCaughtUp,
  isHealthy,
  type PartitionStatus,
  partitionKey,
} from './partition.js';
import { type Batch, type Processed, processBatches } from './process-batch.js';
import { REPORT_EVERY_MS, reportPartitions } from './report-partitions.js';

/** Records of several partitions in one transaction; a partition with more has its own. */
const SHARED_RECORDS_MAX = 16;
/** Transactions at the same time, each on a connection of the pool. */
const TRANSACTIONS_MAX = 4;

interface AssignmentOptions {
  readonly pool: pg.Pool;
  readonly kafka: KafkaPort;
  readonly topicPrefix: string;
  readonly group: string;
  readonly dropDuplicates: boolean;
  readonly handle: Handle;
  readonly log: Log;
  readonly onDeadLetters: (letters: readonly DeadLetter[]) => void;
  readonly batchMax: number;
  readonly ready: () => Promise<void>;
}

/** The partitions this member was given, until the group shares them out anew. */
export interface Assignment {
  onBatch(batch: FetchedBatch): Promise<void>;
  onSkipped(batch: SkippedBatch): void;
  healthy(): boolean;
  caughtUp(): boolean;
  status(): readonly PartitionStatus[];
  /** Another assignment follows, or none: timers are stopped. */
  end(): void;
}

export const assignment =
  (options: AssignmentOptions) =>
  (assigned: readonly TopicPartition[], control: PartitionControl): Assignment => {
    const { topicPrefix, batchMax } = options;
    const partitions = new Map(
      assigned.map((at) => [partitionKey(at), assignedPartition(at, batchMax)]),
    );
    const all = (): readonly AssignedPartition[] => [...partitions.values()];
    const ended = new AbortController();
    const timers = new Set<NodeJS.Timeout>();
    const process = processing(options);
    const said = deadLetterLog(options.log);
    const context: Context = { ...options, control, ended: ended.signal, timers, process, said };
    void locate(context, all());
    const reporting = reportRegularly(context, all());

    return {
      async onBatch(batch) {
        const partition = partitions.get(partitionKey(batch));
        if (!partition) return;
        await partition.skipping;
        if (partition.state !== 'running') return;
        partition.busy = true;
        await take(context, partition, batch).finally(() => {
          partition.busy = false;
        });
      },
      onSkipped(batch) {
        const partition = partitions.get(partitionKey(batch));
        if (partition?.state === 'running') skip(context, partition, batch);
      },
      healthy: () => all().every((each) => isHealthy(each, performance.now())),
      caughtUp: () => all().every(isCaughtUp),
      status: () =>
        all().map(({ at: { topic, partition }, state, stored, position, end }) => ({
          topic: topic.slice(topicPrefix.length),
          partition,
          state,
          offset: stored,
          lag: end > position ? end - position : 0n,
        })),
      end() {
        ended.abort();
        void reporting.stop();
        for (const timer of timers) clearTimeout(timer);
        said.end();
      },
    };
  };

interface Context extends AssignmentOptions {
  readonly control: PartitionControl;
  readonly ended: AbortSignal;
  readonly timers: Set<NodeJS.Timeout>;
  readonly said: DeadLetterLog;
  readonly process: (share: Share) => Promise<PromiseSettledResult<Processed>>;
}

/** What the next transaction is to take of a partition. */
interface Share extends Batch {
  readonly topic: string;
}

/** Each fetch brings a little of many partitions: one transaction takes all of it. */
const processing = (options: AssignmentOptions): Context['process'] =>
  batcher<Share, PromiseSettledResult<Processed>>({
    concurrency: TRANSACTIONS_MAX,
    sizeMax: SHARED_RECORDS_MAX,
    sizeOf: ({ records }) => records.length,
    kindOf: ({ topic }) => topic,
    async process(shares) {
      await options.ready();
      const topic = shares[0]?.topic ?? '';
      return processBatches({ ...options, consumer: options.group, topic }, shares);
    },
  });

/** Works through a fetched batch in transactions, until it is done or something stands in the way. */
async function take(
  context: Context,
  partition: AssignedPartition,
  batch: FetchedBatch,
): Promise<void> {
  // kafkajs moves by itself when the log no longer has our offset; it must not move us.
  if (batch.fetchedOffset !== partition.position) return seekAgain(context, partition);
  partition.justSought = false;
  partition.end = batch.highWatermark;

  for (let done = 0; done < batch.records.length && batch.isActive(); ) {
    // After failures fewer: as many as took longer than a transaction may would do so each time.
    const size = Math.max(1, Math.floor(partition.batchSize / 2 ** partition.failures));
    const records = batch.records.slice(done, done + size);
    const isRest = done + records.length === batch.records.length;
    const startedMs = performance.now();
    const count = await commit(context, partition, records, isRest ? batch.lastOffset : undefined);
    if (count === 0) return;

    const lastedMs = performance.now() - startedMs;
    const { batchSize } = partition;
    partition.batchSize = nextBatchSize(batchSize, count, lastedMs, context.batchMax);
    done += count;
    const last = records[count - 1];
    if (last) batch.resolve(last.offset);
    await batch.heartbeat();
  }
}

/** In one transaction. Zero when nothing happened; the partition then seeks or waits. */
async function commit(
  context: Context,
  partition: AssignedPartition,
  records: FetchedBatch['records'],
  lastOffset: bigint | undefined,
): Promise<number> {
  const { at, stored: from } = partition;
  const to = (lastOffset ?? records.at(-1)?.offset ?? partition.position) + 1n;
  const topic = at.topic.slice(context.topicPrefix.length);
  const result = await context.process({ topic, partition: at.partition, from, to, records });
  if (result.status === 'rejected') {
    if (result.reason instanceof OffsetMovedError) seekAgain(context, partition);
    else backOff(context, partition, result.reason);
    return 0;
  }
  const { count, deadLetters } = result.value;
  const last = records[count - 1];
  partition.stored = count < records.length && last ? last.offset + 1n : to;
  partition.position = partition.stored;
  partition.failures = 0;
  partition.failingSinceMs = undefined;
  report(context, deadLetters);
  return count;
}

function report({ log, said, onDeadLetters }: Context, letters: readonly DeadLetter[]): void {
  if (letters.length === 0) return;
  said.add(letters);
  callAfterCommit([() => onDeadLetters(letters)], log);
}

/** What stands in the way passes by itself or never: either way the record is not to blame. */
function backOff(context: Context, partition: AssignedPartition, error: unknown): void {
  const { control, ended, timers, log } = context;
  partition.state = 'backing_off';
  partition.failures += 1;
  partition.failingSinceMs ??= performance.now();
  control.pause(partition.at);
  const { failures } = partition;
  log.warn({ err: error, ...partition.at, failures }, 'consumer: nothing handled; trying again');

  if (ended.aborted) return;

  const timer = setTimeout(() => {
    timers.delete(timer);
    partition.state = 'running';
    control.resume(partition.at);
  }, backoffMs(failures));
  timers.add(timer);
}

/** Markers and aborted records: nothing to handle, but the table should not stay behind for ever. */
function skip(context: Context, partition: AssignedPartition, batch: SkippedBatch): void {
  if (batch.firstOffset !== partition.position && !partition.justSought) {
    seekAgain(context, partition);
    return;
  }
  partition.justSought = false;
  const to = batch.lastOffset + 1n;
  partition.position = to;

  const { pool, group, topicPrefix, log } = context;
  const at = { ...partition.at, topic: partition.at.topic.slice(topicPrefix.length) };
  const move = () => ({ partition: at.partition, from: partition.stored, to });
  partition.skipping = partition.skipping
    .then(() => moveOffsets(pool, group, at.topic, [move()]))
    .then(() => {
      partition.stored = to;
    })
    // The next batch stores it as well, or finds out that another member was here.
    .catch((error: unknown) => log.debug({ err: error, ...at }, 'consumer: skip not stored'));
}

const reportRegularly = (context: Context, partitions: readonly AssignedPartition[]) =>
  repeat(
    REPORT_EVERY_MS,
    async () => {
      if (partitions.length === 0) return;
      const moved = await reportPartitions(context, partitions);
      if (!context.ended.aborted) for (const each of moved) seekAgain(context, each);
    },
    (error) => context.log.debug({ err: error }, 'consumer: partitions not reported'),
  );

function seekAgain(context: Context, partition: AssignedPartition): void {
  context.control.pause(partition.at);
  partition.state = 'seeking';
  void locate(context, [partition]);
}
