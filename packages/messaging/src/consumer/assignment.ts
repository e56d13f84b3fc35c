import { repeat } from '@junction/async';
import type { FetchedBatch, PartitionControl, SkippedBatch, TopicPartition } from '@junction/kafka';
import { type AssignmentOptions, type FlightContext, seekAgain } from './context.js';
import { deadLetterLog } from './dead-letter-log.js';
import { locate } from './locate.js';
import {
  type AssignedPartition,
  assignedPartition,
  isCaughtUp,
  isHealthy,
  type PartitionStatus,
  partitionKey,
} from './partition.js';
import { REPORT_EVERY_MS, reportPartitions } from './report-partitions.js';
import { processing, skip, type TakeContext, take } from './take.js';
import { flightsOf, preparing } from './take-ahead.js';

/**
 * Milliseconds in which records in flight may be written at the end of an assignment. The group waits so long, and
 * hears nothing of this member, whose session must outlast it (SESSION_TIMEOUT_MS).
 */
const DRAIN_MAX_MS = 4_000;

/** Partitions of this member, until the group assigns them anew. */
export interface Assignment {
  onBatch(batch: FetchedBatch): Promise<void>;
  onSkipped(batch: SkippedBatch): void;
  healthy(): boolean;
  caughtUp(): boolean;
  status(): readonly PartitionStatus[];
  /**
   * Ends the assignment, before another one or none. Resolves when no write of this assignment or of those before it is
   * under way: records in flight are written within four seconds, or dropped. A write under way is awaited, because it
   * ends by itself.
   */
  end(): Promise<void>;
}

export const assignment =
  (options: AssignmentOptions) =>
  (
    assigned: readonly TopicPartition[],
    control: PartitionControl,
    before: Promise<void> | undefined,
  ): Assignment => {
    const { topicPrefix, batchMax } = options;
    const partitions = new Map(
      assigned.map((at) => [partitionKey(at), assignedPartition(at, batchMax)]),
    );
    const all = (): readonly AssignedPartition[] => [...partitions.values()];
    const ended = new AbortController();
    const context = contextOf(options, { control, ended: ended.signal, partitions: all() });
    const { timers, said, flights } = context;
    void Promise.resolve(before).then(() => locate(context, all()));
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
      caughtUp: () => all().every((each) => isCaughtUp(each)),
      status: () => all().map((each) => statusOf(each, topicPrefix)),
      async end() {
        ended.abort();
        void reporting.stop();
        for (const timer of timers) clearTimeout(timer);
        await Promise.all([before, flights.close(DRAIN_MAX_MS)]);
        said.end();
      },
    };
  };

function statusOf(of: AssignedPartition, topicPrefix: string): PartitionStatus {
  const { at, state, stored: offset, position, end } = of;
  const { topic, partition } = at;
  const lag = end > position ? end - position : 0n;
  return { topic: topic.slice(topicPrefix.length), partition, state, offset, lag };
}

interface Assigned extends Pick<TakeContext, 'control' | 'ended'> {
  readonly partitions: readonly AssignedPartition[];
}

function contextOf(options: AssignmentOptions, { partitions, ...assigned }: Assigned): TakeContext {
  const said = deadLetterLog(options.log);
  const base = { ...options, ...assigned, timers: new Set<NodeJS.Timeout>(), said };
  const flights = flightsOf(base, partitions, (partition) => seekAgain(context, partition));
  const context: TakeContext = {
    ...base,
    process: processing(options, base.ended),
    preparing: preparing(options, base.ended),
    flights,
  };
  return context;
}

const reportRegularly = (context: FlightContext, partitions: readonly AssignedPartition[]) =>
  repeat(
    REPORT_EVERY_MS,
    async () => {
      if (partitions.length === 0) return;
      const moved = await reportPartitions(context, partitions);
      if (context.ended.aborted) return;
      // A partition with records in flight finds out by itself, when these are written.
      for (const each of moved) if (each.inFlight.length === 0) seekAgain(context, each);
    },
    (error) => context.log.debug({ err: error }, 'consumer: partitions not reported'),
  );
