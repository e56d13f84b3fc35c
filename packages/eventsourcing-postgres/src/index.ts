export {
  type PostgresEventStore,
  type PostgresEventStoreOptions,
  postgresEventStore,
} from './event-store.js';
export { findEvent, type Search, type SearchOptions, searchEvent } from './find-event.js';
export { EVENTS_APPENDED, type FollowOptions, follow } from './follow.js';
export type { InlineProjection } from './inline-projection.js';
export { type Maintained, maintainEventStore } from './maintain.js';
export { type Migration, migrate, requireMigrated } from './migrate.js';
export { eventStoreMigrations } from './migrations/index.js';
export { type BoundStatement, namedParameters } from './named-parameters.js';
export { type Notifier, type PostgresNotifierOptions, postgresNotifier } from './notifier.js';
export {
  insertOutbox,
  type OutboxMessage,
  type OutboxRecord,
  type Publish,
  type PublishPlace,
} from './outbox.js';
export {
  listProjections,
  type ProjectionState,
  type RebuildState,
} from './projections/list-projections.js';
export type { RebuildProgress } from './projections/progress.js';
export type { ProjectionSet } from './projections/projection-set.js';
export { purgeRebuilds } from './projections/purge-rebuilds.js';
export { discardRebuild, type RebuildOptions, rebuildProjection } from './projections/rebuild.js';
export type { RebuildChanges } from './projections/switch-over.js';
export type { Queryable } from './queryable.js';
export { BEGINNING, type Position, readAll, type Selection } from './read-all.js';
export { readStream } from './read-stream.js';
export { readableEnd } from './readable-end.js';
export { readerFenceAge } from './reader-fence.js';
export { finishRestore, RestoreUnfinishedError, refuseUnfinishedRestore } from './restore.js';
export { type RowProjection, rowProjection } from './row-projection.js';
export type { StoredEvent } from './stored-event.js';
export { type StreamHead, streamHead, streamHeads } from './stream-heads.js';
export { inRetriedTransaction, inTransaction, type TransactionOptions } from './transaction.js';
export { type StreamProblem, type Verified, verifyStreams } from './verify-streams.js';
