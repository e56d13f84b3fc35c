export { inWords } from './in-words.js';
export { type CallersByAuthOptions, callersByAuth } from './platform/callers.js';
export { certificateFiles } from './platform/certificate-measures.js';
export { type KafkaTopic, kafkaTopics } from './platform/kafka-topics.js';
export { type KafkaRight, type KafkaUser, kafkaUsers } from './platform/kafka-users.js';
export { measureKeyAge } from './platform/key-measures.js';
export {
  INTERNAL,
  type OperatorGates,
  type OperatorRouters,
  operatorGroups,
  operatorScope,
} from './platform/operator-groups.js';
export type { Platform, PlatformConfig } from './platform/platform.js';
export { poolUntil } from './platform/postgres/pool-until.js';
export { runService } from './platform/run-service.js';
export {
  type Callers,
  type ConsumerDefinition,
  defineService,
  type Gates,
  type OpenedService,
  type ServiceDefinition,
  type ServiceOperations,
  type ServiceParts,
  type ServiceTopics,
  type Streams,
} from './platform/service.js';
export {
  moment,
  type One,
  type Query,
  query,
  type Reading,
  readItem,
  readList,
  readOne,
} from './reads.js';
