export type { BackendName, Backends } from './backends.js';
export { startBackends } from './backends.js';
export { deleteData } from './delete-data.js';
export { gateway } from './gateway/gateway.js';
export type { Upstream } from './gateway/routes.js';
export { allowInKafka, deleteRecords, deleteTopics, type KafkaAcl } from './kafka/admin.js';
export { startKafka } from './kafka/kafka.js';
export { LocalStackError } from './local-stack-error.js';
export { startPostgres } from './postgres/postgres.js';
export { createServiceDatabase } from './postgres/service-database.js';
export { CHECKPOINTS } from './postgres/settings.js';
export { holderOf } from './preflight/data-dir.mjs';
export { apart, type Ports } from './preflight/settings.mjs';
export type { ServerExit } from './process/running-server.js';
export { runTests } from './run-tests.js';
export { openDatabases } from './start/backends.js';
export { writeEndpoints } from './start/endpoints.js';
export { addresses, type World } from './start/environment.js';
export { MEMORY_OPTIONS } from './start/memory-options.js';
export { type NodeProgram, nodeChild, runNode } from './start/node-child.js';
export { type Secrets, type ServiceName, secretsOf } from './start/secrets.js';
export {
  gatewayProgram,
  migrationJob,
  preparations,
  providerPrograms,
  type Served,
  serviceProgram,
  topicsJob,
  worldOf,
} from './start/services.js';
export { readSettings } from './start/settings.js';
export type { Running } from './start/supervisor.js';
export { together } from './start/together.js';
