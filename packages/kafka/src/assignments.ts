import type { Consumer, ConsumerStartBatchProcessEvent, IMemberAssignment } from 'kafkajs';
import type { ConsumeOptions, PartitionControl, TopicPartition } from './kafka-port.js';

/** Turns what kafkajs tells about assignments and empty batches into the port's calls. */
export function assignments(
  consumer: Consumer,
  { onAssigned, onSkipped }: ConsumeOptions,
  ended: AbortSignal,
) {
  let generation = 0;

  const fence = (): Fence => {
    const mine = generation;
    return () => mine === generation && !ended.aborted;
  };

  return {
    fence,

    /** Runs inside kafkajs' join, before its next fetch: paused here, nothing is fetched too early. */
    join(assignment: IMemberAssignment): void {
      // Given up on its way into the group: nobody would ever end what begins here.
      if (ended.aborted) return;
      const partitions = Object.entries(assignment).flatMap(([topic, numbers]) =>
        numbers.map((partition): TopicPartition => ({ topic, partition })),
      );
      generation += 1;
      const control = controlOf(consumer, fence());
      for (const at of partitions) control.pause(at);
      onAssigned(partitions, control);
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

function controlOf(consumer: Consumer, stands: Fence): PartitionControl {
  const steer = (call: () => void): void => {
    if (!stands()) return;
    try {
      call();
    } catch {
      // Between a crash and the event that tells of it there is no group left to steer.
    }
  };
  return {
    seek: ({ topic, partition }, offset) =>
      steer(() => consumer.seek({ topic, partition, offset: String(offset) })),
    pause: ({ topic, partition }) =>
      steer(() => consumer.pause([{ topic, partitions: [partition] }])),
    resume: ({ topic, partition }) =>
      steer(() => consumer.resume([{ topic, partitions: [partition] }])),
  };
}

/** Says, whenever it is called, whether the assignment of the moment in which it was made still stands. */
export type Fence = () => boolean;

type StartedBatch = ConsumerStartBatchProcessEvent['payload'];
