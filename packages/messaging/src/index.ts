export { classifyError, type ErrorClass } from './classify-error.js';
export {
  type Consumer,
  type ConsumerOptions,
  startConsumer,
} from './consumer/consumer.js';
export { measureConsumers } from './consumer/consumer-measures.js';
export type { DeadLetter } from './consumer/dead-letters.js';
export type { PartitionState, PartitionStatus } from './consumer/partition.js';
export type { Handle } from './consumer/process-batch.js';
export { connectKafka, type KafkaSettings } from './kafka/connect-kafka.js';
export { type KafkaOptions, kafkaClient } from './kafka/kafka-client.js';
export type {
  AdminPort,
  ConsumeOptions,
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
} from './kafka/kafka-port.js';
export type { Log } from './log.js';
export type { Meter, Sample } from './meter.js';
export { messagingMigrations } from './migrations.js';
export type {
  ConsumedPartition,
  ConsumerPartition,
  ResetResult,
  ResetTarget,
} from './operations/consumer-offsets.js';
export { measureDeadLetters } from './operations/dead-letter-measures.js';
export type {
  DeadLetterDetail,
  DeadLetterFilter,
  DeadLetterPage,
  DeadLetterState,
  StoredDeadLetter,
} from './operations/dead-letter-rows.js';
export type { DropOptions, DropResult } from './operations/drop.js';
export { eraseDeadLetters } from './operations/erase-dead-letters.js';
export {
  type Operations,
  type OperationsOptions,
  operations,
  type Some,
} from './operations/operations.js';
export type { ParkedKey } from './operations/parked-key.js';
export type { RedriveOptions, RedriveResult } from './operations/redrive.js';
export { RecordError } from './record-error.js';
export { type Relay, type RelayOptions, startRelay } from './relay/relay.js';
export { deadLetterTopic, TOPICS, type TopicSpec, topicName } from './topics.js';
