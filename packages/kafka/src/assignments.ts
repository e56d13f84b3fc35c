import type { Consumer, ConsumerStartBatchProcessEvent, IMemberAssignment } from 'kafkajs';
import type { TopicIds } from './fetch-by-id.js';
import type { ConsumeOptions, PartitionControl, TopicPartition } from './kafka-port.js';

/** Translates kafkajs' events about assignments and empty batches into calls of the port. */
export function assignments(
  consumer: Consumer,
  { onAssigned, onSkipped }: ConsumeOptions,
  ids: TopicIds,
  ended: AbortSignal,
) {
  let generation = 0;
  let end: void | (() => Promise<void>);

  const fence = (): Fence => {
    const mine = generation;
    return () => mine === generation && !ended.aborted;
  };

  return {
    fence,

    /** Runs inside kafkajs' join, before the next fetch: partitions that are paused here are not fetched too early. */
    join(assignment: IMemberAssignment): void {
      // The consumer was given up while it joined: nobody would ever end an assignment that starts here.
      if (ended.aborted) return;
      const partitions = Object.entries(assignment).flatMap(([topic, numbers]) =>
        numbers.map((partition): TopicPartition => ({ topic, partition })),
      );
      generation += 1;
      const control = controlOf(consumer, ids, fence());
      for (const at of partitions) control.pause(at);
      end = onAssigned(partitions, control);
    },

    /** Ends what the last assignment began. */
    async end(): Promise<void> {
      await end?.();
    },

    /** kafkajs moves past a batch without records silently; this event is all there is to see. */
    batch({ topic, partition, batchSize, firstOffset, lastOffset }: StartedBatch): void {
      if (ended.aborted || batchSize > 0) return;
      // The types promise a first offset; there is none when all lay before the position.
      const first: string | null = firstOffset;
      onSkipped({
        topic,
        partition,
        firstOffset: first === null ? undefined : BigInt(first),
        lastOffset: BigInt(lastOffset),
      });
    },
  };
}

function controlOf(consumer: Consumer, ids: TopicIds, stands: Fence): PartitionControl {
  const steer = (call: () => void): void => {
    if (!stands()) return;
    try {
      call();
    } catch {
      // Between a crash and the event that tells of it there is no group left to steer.
    }
  };
  return {
    seek: (at, offset, topicId) =>
      steer(() => {
        ids.set(at, topicId);
        consumer.seek({ topic: at.topic, partition: at.partition, offset: String(offset) });
      }),
    pause: ({ topic, partition }) =>
      steer(() => consumer.pause([{ topic, partitions: [partition] }])),
    resume: ({ topic, partition }) =>
      steer(() => consumer.resume([{ topic, partitions: [partition] }])),
  };
}

/** Returns whether the assignment in which the fence was made is still the current one. */
export type Fence = () => boolean;

type StartedBatch = ConsumerStartBatchProcessEvent['payload'];
