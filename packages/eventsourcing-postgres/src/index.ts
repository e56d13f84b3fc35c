export {
  type BatchedAppend,
  type BatchingEventStore,
  type PostgresEventStore,
  type PostgresEventStoreOptions,
  postgresEventStore,
} from './event-store.js';
export type { InlineProjection } from './inline-projection.js';
export { type Migration, migrate, requireMigrated } from './migrate.js';
export { eventStoreMigrations } from './migrations/index.js';
export {
  insertOutbox,
  type OutboxMessage,
  type OutboxRecord,
  type Publish,
  type PublishPlace,
} from './outbox.js';
export type { Queryable } from './queryable.js';
export { BEGINNING, type Position, readAll } from './read-all.js';
export { readStream } from './read-stream.js';
export { rowProjection } from './row-projection.js';
export type { StoredEvent } from './stored-event.js';
export { inTransaction } from './transaction.js';
