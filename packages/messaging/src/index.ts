export {
  type AdminPort,
  type ConsumeOptions,
  connectKafka,
  type DescribedTopic,
  deadLetterTopic,
  type FetchedBatch,
  type InboundRecord,
  type KafkaOptions,
  type KafkaPort,
  type KafkaSettings,
  kafkaClient,
  type Log,
  type LogBounds,
  type OutRecord,
  type PartitionControl,
  type ProducerPort,
  type SkippedBatch,
  type Subscription,
  silentLog,
  TOPICS,
  type TopicPartition,
  type TopicSpec,
  topicConfig,
  topicName,
} from '@junction/kafka';
export { classifyError, type ErrorClass } from './consumer/classify-error.js';
export { type Consumer, startConsumer } from './consumer/consumer.js';
export { measureConsumers } from './consumer/consumer-measures.js';
export type {
  ConsumedPartition,
  ConsumerPartition,
  ResetResult,
  ResetTarget,
} from './consumer/consumer-offsets.js';
export type { ConsumerOptions } from './consumer/context.js';
export { type HaltedPartitions, haltedPartitions } from './consumer/halted-partitions.js';
export type { Handle, HandleAtOnce, Prepare, PreparedRecord, SetAside } from './consumer/handle.js';
export { MOVE_OFFSETS, type OffsetMoves } from './consumer/offsets.js';
export type { PartitionState, PartitionStatus } from './consumer/partition.js';
export { RecordError } from './consumer/record-error.js';
export type { DeadLetter } from './dead-letters/dead-letter.js';
export { deleteDeadLetters } from './dead-letters/delete-dead-letters.js';
export type { DropOptions, DropResult } from './dead-letters/drop.js';
export { measureDeadLetters, openDeadLetters } from './dead-letters/measures.js';
export type {
  DeadLetterDetail,
  DeadLetterFilter,
  DeadLetterPage,
  DeadLetterState,
  StoredDeadLetter,
} from './dead-letters/read-dead-letters.js';
export type { RedriveOptions, RedriveResult } from './dead-letters/redrive.js';
export { messagingSpan } from './messaging-span.js';
export { messagingMigrations } from './migrations.js';
export {
  type Operations,
  type OperationsOptions,
  operations,
  type Some,
  type Wanted,
} from './operations.js';
export { type Relay, type RelayOptions, startRelay } from './relay/relay.js';
