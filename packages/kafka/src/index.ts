export { connectKafka, type KafkaSettings } from './connect-kafka.js';
export { type KafkaOptions, kafkaClient } from './kafka-client.js';
export type {
  AdminPort,
  ConsumeOptions,
  DescribedTopic,
  FetchedBatch,
  InboundRecord,
  KafkaPort,
  LogBounds,
  OutRecord,
  PartitionControl,
  ProducerPort,
  SkippedBatch,
  Subscription,
  TopicPartition,
} from './kafka-port.js';
export { type Log, silentLog } from './log.js';
export { deadLetterTopic, TOPICS, type TopicSpec, topicConfig, topicName } from './topics.js';
