import { assistantEventRecord, type EventData } from '@junction/contracts';
import { type KafkaOptions, kafkaClient, silentLog, topicName } from '@junction/kafka';
import { closable, notTaken } from './closable.js';
import type { EventProducer } from './event-producer.js';
import type { EventTypes } from './event-types.js';
import { prepare } from './prepare.js';

export interface KafkaProducerOptions<Own extends object = object>
  extends Omit<KafkaOptions, 'clientId' | 'log'>,
    Partial<Pick<KafkaOptions, 'clientId' | 'log'>> {
  /** Name of the producer, for instance assistant/inbox: the ce_source of every event. */
  readonly source: string;
  /** Prefix of the topic names on a shared cluster. Default: none. */
  readonly topicPrefix?: string;
  /** Kinds of the installation, by `readEventTypes`. Default: the five. */
  readonly eventTypes?: EventTypes<Own>;
}

const TOPIC = 'assistant.events.v1';

/** Publishes straight to Kafka. For producers inside the network, with write access to the topic. */
export async function kafkaProducer<Own extends object = object>(
  options: KafkaProducerOptions<Own>,
): Promise<EventProducer<EventData & Own>> {
  const { source, topicPrefix = '', eventTypes, ...client } = options;
  const kafka = kafkaClient({ clientId: 'junction-producer', log: silentLog, ...client });
  const producer = await kafka.producer();
  const topic = topicName(topicPrefix, TOPIC);

  return closable(
    async (event) => {
      const prepared = prepare(source, event, eventTypes?.schemas);
      const record = { topic, ...assistantEventRecord(prepared) };
      await producer.sendBatch([record]).catch((error: Error) => {
        throw notTaken(`Kafka at ${client.brokers.join(', ')}`, error);
      });
      return { messageId: prepared.messageId };
    },
    async () => producer.close(),
  );
}
