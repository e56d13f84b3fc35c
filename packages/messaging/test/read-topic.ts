import { randomUUID } from 'node:crypto';
import type { InboundRecord, KafkaPort } from '@junction/kafka';

/** Reads a topic from its beginning on, into a list that grows. */
export function readTopic(kafka: KafkaPort, topic: string) {
  const records: InboundRecord[] = [];
  const subscription = kafka.runConsumer({
    group: `${topic}.${randomUUID()}`,
    topics: [topic],
    concurrency: 1,
    onAssigned: (partitions, control) => {
      for (const at of partitions) control.resume(at);
    },
    onBatch: async (batch) => {
      records.push(...batch.records);
      const last = batch.records.at(-1);
      if (last) batch.resolve(last.offset);
    },
    onSkipped: () => undefined,
  });
  return { records, stop: () => subscription.stop() };
}
