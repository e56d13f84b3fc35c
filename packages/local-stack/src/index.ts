export type { BackendName, BackendOptions, Backends } from './backends.js';
export { startBackends } from './backends.js';
export { holderOf } from './data-lock.js';
export { gateway } from './gateway/gateway.js';
export type { Upstream } from './gateway/routes.js';
export type { GuardedOptions, GuardedProcess } from './guarded-process.js';
export { spawnGuarded } from './guarded-process.js';
export type { KafkaOptions } from './kafka.js';
export { startKafka } from './kafka.js';
export { createTopic, deleteTopics, topicsOf } from './kafka-admin.js';
export { LocalStackError } from './local-stack-error.js';
export { freePort, requireFreePort } from './ports.js';
export type { PostgresOptions } from './postgres.js';
export { startPostgres } from './postgres.js';
export { isAlive, markOf } from './process-identity.js';
export { removeData } from './remove-data.js';
export { runTests } from './run-tests.js';
export type { KafkaServer, PostgresServer, RunningServer, ServerExit } from './running-server.js';
export type { ServiceDatabase } from './service-database.js';
export { createServiceDatabase } from './service-database.js';
export { type Ground, openDatabases } from './start/backends.js';
export { writeEndpoints } from './start/endpoints.js';
export { addresses, type World } from './start/environment.js';
export { MEMORY_OPTIONS } from './start/memory-options.js';
export { type NodeProgram, nodeChild, runNode } from './start/node-child.js';
export { type Secrets, type ServiceName, secretsOf } from './start/secrets.js';
export {
  gatewayProgram,
  migrationJob,
  preparations,
  providerProgram,
  type Served,
  serviceProgram,
  topicsJob,
  worldOf,
} from './start/services.js';
export { type Ports, readSettings } from './start/settings.js';
export type { Running } from './start/supervisor.js';
export { together } from './start/together.js';
