export { openEventStore } from './event-store.js';
export { finishRestoreOf } from './finish-restore.js';
export { MAINTENANCE_STATEMENT_MS, openPools, postgresPool } from './pool.js';
export { keepReadModels } from './read-models.js';
