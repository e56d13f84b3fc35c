import { assistantEventRecord } from '@junction/contracts';
import { type KafkaOptions, kafkaClient, silentLog, topicName } from '@junction/kafka';
import { closable } from './closable.js';
import type { EventProducer } from './event-producer.js';
import { prepare } from './prepare.js';

export interface KafkaProducerOptions
  extends Omit<KafkaOptions, 'clientId' | 'log'>,
    Partial<Pick<KafkaOptions, 'clientId' | 'log'>> {
  /** Name of the producer, for instance assistant/inbox: the ce_source of every event. */
  readonly source: string;
  /** Prefix of the topic names on a shared cluster. Default: none. */
  readonly topicPrefix?: string;
}

const TOPIC = 'assistant.events.v1';

/** Publishes straight to Kafka. For producers inside the network, with write access to the topic. */
export async function kafkaProducer(options: KafkaProducerOptions): Promise<EventProducer> {
  const { source, topicPrefix = '', ...client } = options;
  const kafka = kafkaClient({ clientId: 'junction-producer', log: silentLog, ...client });
  const producer = await kafka.producer();
  const topic = topicName(topicPrefix, TOPIC);

  return closable(
    async (event) => {
      const prepared = prepare(source, event);
      await producer.sendBatch([{ topic, ...assistantEventRecord(prepared) }]);
      return { messageId: prepared.messageId };
    },
    async () => producer.close(),
  );
}
