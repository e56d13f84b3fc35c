export { writeSpill } from './disk-watch.js';
export { openEventStore } from './event-store.js';
export { finishRestoreOf } from './finish-restore.js';
export { ownerOf } from './owner-of.js';
export { MAINTENANCE_STATEMENT_MS, openPools, postgresPool } from './pool.js';
export { connectionsOf } from './pool-sizes.js';
export { startRebuildPurge } from './purge-rebuilds.js';
