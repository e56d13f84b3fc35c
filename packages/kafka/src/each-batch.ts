import type { EachBatchPayload } from 'kafkajs';
import type { Fence } from './assignments.js';
import type { FetchedMessages } from './decode-patch.js';
import { inboundRecord } from './inbound-record.js';
import type { FetchedBatch } from './kafka-port.js';

/** A batch with fields that kafkajs keeps in every batch but not in its types. */
type Batch = EachBatchPayload['batch'] & {
  readonly fetchedOffset: string;
  readonly rawMessages: FetchedMessages;
};

/**
 * Interval of heartbeats during a batch: kafkajs sends them only between batches, and a long batch would cost the
 * membership.
 */
const BEAT_MS = 1_000;

export interface Watched {
  /** Called at each sign of progress. */
  readonly heard: () => void;
  /** Aborted when the consumer is given up. */
  readonly ending: AbortSignal;
  /** Returns the fence of the current assignment. */
  readonly fence: () => Fence;
}

/** Hands batches on, each as long as its assignment stands: a late batch moves nothing of the next assignment. */
export const eachBatch =
  (onBatch: (batch: FetchedBatch) => Promise<void>, { heard, ending, fence }: Watched) =>
  async ({
    batch,
    resolveOffset,
    heartbeat,
    isRunning,
    isStale,
  }: EachBatchPayload): Promise<void> => {
    const stands = fence();
    if (!stands()) return;
    const { topic, partition, highWatermark, messages } = batch;
    const { fetchedOffset, rawMessages } = batch as Batch;
    // A rejection here means a rebalance: the next heartbeat between two batches says so again.
    const beat = setInterval(() => {
      // A consumer that hangs and was given up must not stay a member: its successor would wait for it.
      if (!ending.aborted) void heartbeat().catch(() => undefined);
    }, BEAT_MS);

    try {
      await onBatch({
        topic,
        partition,
        topicId: rawMessages.topicId,
        fetchedOffset: BigInt(fetchedOffset),
        lastOffset: BigInt(batch.lastOffset()),
        highWatermark: BigInt(highWatermark),
        records: messages.map((message) => inboundRecord({ topic, partition }, message)),
        // After the last record kafkajs itself moves on to `lastOffset`, past the markers behind that record.
        resolve(offset) {
          if (stands()) resolveOffset(String(offset));
        },
        heartbeat() {
          heard();
          return heartbeat();
        },
        isActive: () => stands() && isRunning() && !isStale(),
      });
    } finally {
      clearInterval(beat);
    }
  };
