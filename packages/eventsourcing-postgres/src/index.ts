export { eventStoreMigrations } from './migrations/index.js';
export { type Migration, migrate, requireMigrated } from './migrations/migrate.js';
export { type BoundStatement, namedParameters } from './named-parameters.js';
export { type Notifier, type PostgresNotifierOptions, postgresNotifier } from './notifier.js';
export {
  insertOutbox,
  type OutboxMessage,
  type OutboxRecord,
  type Publish,
  type PublishPlace,
} from './outbox/outbox.js';
export type { InlineProjection } from './projections/inline-projection.js';
export {
  listProjections,
  type ProjectionState,
  type RebuildState,
} from './projections/list-projections.js';
export type { RebuildProgress } from './projections/progress.js';
export type { ProjectionSet } from './projections/projection-set.js';
export { purgeRebuilds } from './projections/purge-rebuilds.js';
export { discardRebuild, type RebuildOptions, rebuildProjection } from './projections/rebuild.js';
export { type RowProjection, rowProjection } from './projections/row-projection.js';
export type { RebuildChanges } from './projections/switch-over.js';
export type { Queryable } from './queryable.js';
export {
  finishRestore,
  RestoreUnfinishedError,
  refuseUnfinishedRestore,
} from './restore/restore.js';
export { type StreamProblem, type Verified, verifyStreams } from './restore/verify-streams.js';
export {
  type PostgresEventStore,
  type PostgresEventStoreOptions,
  postgresEventStore,
} from './store/event-store.js';
export { findEvent, type Search, type SearchOptions, searchEvent } from './store/find-event.js';
export { EVENTS_APPENDED, type FollowOptions, follow } from './store/follow.js';
export { type Maintained, maintainEventStore } from './store/maintain.js';
export { BEGINNING, type Position, readAll, type Selection } from './store/read-all.js';
export { readStream } from './store/read-stream.js';
export { readableEnd } from './store/readable-end.js';
export { readerFenceAge } from './store/reader-fence.js';
export type { StoredEvent } from './store/stored-event.js';
export { type StreamHead, streamHead, streamHeads } from './store/stream-heads.js';
export { inRetriedTransaction, inTransaction, type TransactionOptions } from './transaction.js';
