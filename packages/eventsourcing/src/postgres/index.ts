export {
  bigints,
  byteas,
  dates,
  ints,
  smallints,
  texts,
  timestamps,
  uuids,
} from './binary-arrays.js';
export { inTurn, oneByOne } from './in-turn.js';
export { type LongWait, longWaits } from './long-waits.js';
export { eventStoreMigrations } from './migrations/index.js';
export {
  createIndex,
  type Migration,
  migrate,
  requireMigrated,
  SERVER_MIN,
} from './migrations/migrate.js';
export { ForeignDatabaseError, type Owner, refuseForeign } from './migrations/owner.js';
export { namedParameters } from './named-parameters.js';
export { type Notifier, postgresNotifier } from './notifier.js';
export {
  INSERT_OUTBOX,
  insertOutbox,
  type OutboxMessage,
  type OutboxRecord,
  outboxRow,
  type Publish,
  type PublishPlace,
} from './outbox/outbox.js';
export { listProjections, type ProjectionState } from './projections/list-projections.js';
export type { ProjectionSet } from './projections/projection-set.js';
export { purgeRebuilds } from './projections/purge-rebuilds.js';
export { discardRebuild, rebuildProjection } from './projections/rebuild.js';
export { type RowProjection, rowProjection } from './projections/row-projection.js';
export type { Queryable } from './queryable.js';
export {
  finishRestore,
  RestoreUnfinishedError,
  refuseUnfinishedRestore,
} from './restore/restore.js';
export { verifyStreams } from './restore/verify-streams.js';
export { withSessionOptions } from './session-options.js';
export { statement } from './statement.js';
export { type PostgresEventStore, postgresEventStore } from './store/event-store.js';
export { findEvent, searchEvent } from './store/find-event.js';
export { EVENTS_APPENDED, follow } from './store/follow.js';
export { maintainEventStore } from './store/maintain.js';
export { BEGINNING, type Position, readAll } from './store/read-all.js';
export { readStream } from './store/read-stream.js';
export { readableEnd } from './store/readable-end.js';
export { readerFenceAge } from './store/reader-fence.js';
export type { StoredEvent } from './store/stored-event.js';
export { streamHead, streamHeads } from './store/stream-heads.js';
export {
  inRetriedTransaction,
  inTransaction,
  type TransactionOptions,
  walkIndexes,
} from './transaction.js';
