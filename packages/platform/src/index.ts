export { type CallersByAuthOptions, callersByAuth } from './callers.js';
export { authChecks } from './doctor/auth-checks.js';
export { type Check, type Finding, type Look, problem, warning } from './doctor/finding.js';
export { type KafkaTopic, kafkaTopics } from './kafka-topics.js';
export { type KafkaRight, type KafkaUser, kafkaUsers } from './kafka-users.js';
export { measureKeyAge } from './key-measures.js';
export { type OperatorGates, operatorGroups, operatorScope } from './operator-groups.js';
export type { Platform, PlatformConfig } from './platform.js';
export { type ErasedUser, publishErased } from './publish-erased.js';
export { runService } from './run-service.js';
export {
  type Callers,
  type ConsumerDefinition,
  defineService,
  type Gates,
  type ServiceDefinition,
  type ServiceParts,
  type ServiceTopics,
  type Streams,
} from './service.js';
