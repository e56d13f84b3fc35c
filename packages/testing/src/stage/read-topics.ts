import { randomUUID } from 'node:crypto';
import type { InboundRecord, Subscription } from '@junction/messaging';
import type { Stage } from './use-stage.js';

/**
 * Hands over every record of these topics, from their beginning on, until the subscription is stopped. `place` is
 * different for each record: a record may be handed over again.
 */
export function readTopics(
  { kafka, broker }: Pick<Stage<never, never>, 'kafka' | 'broker'>,
  names: readonly string[],
  onRecord: (record: InboundRecord, place: string) => void,
): Subscription {
  return kafka.runConsumer({
    group: broker.prefix + randomUUID(),
    topics: names.map((name) => broker.prefix + name),
    concurrency: 1,
    onAssigned: (partitions, control) => {
      for (const at of partitions) {
        control.seek(at, 0n);
        control.resume(at);
      }
    },
    onSkipped: () => {},
    async onBatch(batch) {
      for (const record of batch.records) {
        batch.resolve(record.offset);
        onRecord(record, `${batch.topic}/${batch.partition}/${record.offset}`);
      }
    },
  });
}
