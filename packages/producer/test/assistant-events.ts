import { afterAll, beforeAll } from '@jest/globals';
import { type InboundRecord, kafkaClient, type Subscription, silentLog } from '@junction/kafka';
import { useBroker } from '@junction/testing';

/** The topic of assistant events of one test file, and its records from the beginning on, as a list that grows. */
export function useAssistantEvents(partitions: number) {
  const { brokers, prefix } = useBroker();
  const kafka = kafkaClient({ brokers, clientId: 'producer-test', log: silentLog });
  const name = 'assistant.events.v1';
  const topic = `${prefix}${name}`;
  const seen: InboundRecord[] = [];
  let subscription: Subscription;
  beforeAll(async () => {
    await kafka.admin().ensureTopics([{ name, partitions, retentionMs: 3_600_000 }], prefix);
    subscription = kafka.runConsumer({
      group: `${prefix}reader`,
      topics: [topic],
      concurrency: 1,
      onAssigned(assigned, control) {
        for (const partition of assigned) {
          control.seek(partition, 0n);
          control.resume(partition);
        }
      },
      async onBatch(batch) {
        seen.push(...batch.records);
        batch.resolve(batch.lastOffset);
      },
      onSkipped() {},
    });
  });
  afterAll(() => subscription.stop());
  return { brokers, prefix, kafka, topic, seen };
}
