import { assistantEventRecord } from '@junction/contracts';
import { type KafkaOptions, kafkaClient, topicName } from '@junction/messaging';
import type { EventProducer } from './event-producer.js';
import { prepare } from './prepare.js';

export interface KafkaProducerOptions
  extends Omit<KafkaOptions, 'clientId' | 'log'>,
    Partial<Pick<KafkaOptions, 'clientId' | 'log'>> {
  /** Who publishes, for instance assistant/inbox: the ce_source of every event. */
  readonly source: string;
  /** What a shared cluster puts before its topic names. Default: nothing. */
  readonly topicPrefix?: string;
}

const TOPIC = 'assistant.events.v1';
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Publishes straight to Kafka. For producers inside the network, with write access to the topic. */
export async function kafkaProducer(options: KafkaProducerOptions): Promise<EventProducer> {
  const { source, topicPrefix = '', ...client } = options;
  const kafka = kafkaClient({ clientId: 'junction-producer', log: silent, ...client });
  const producer = await kafka.producer();
  const topic = topicName(topicPrefix, TOPIC);

  return {
    async publish(event) {
      const prepared = prepare(source, event);
      await producer.sendBatch([{ topic, ...assistantEventRecord(prepared) }]);
      return { messageId: prepared.messageId };
    },

    close: () => producer.close(),
  };
}
