export { type AppendRefusal, AppendRefusedError } from './append-refused-error.js';
export {
  appendedOf,
  checkAppends,
  EVENT_BYTES_MAX,
  refuseReuse,
  storedJson,
  streamsOf,
} from './appends.js';
export { type BatchedCommand, batchHandler, type HandleCommands } from './batch-handler.js';
export {
  commandHandler,
  type HandleCommand,
  type Handled,
  type HandlingOptions,
} from './command-handler.js';
export { type Command, type Decider, type Event, replay } from './decider.js';
export {
  type EventCodec,
  type GrowingSchema,
  jsonCodec,
  type Schema,
  type Schemas,
  type StoredData,
  schema,
} from './event-codec.js';
export { COMMAND_EVENTS_MAX, eventIdOf, eventIdsOf } from './event-id.js';
export type {
  AppendContext,
  Appended,
  BatchedAppend,
  BatchingEventStore,
  EventMetadata,
  EventStore,
  ExpectedVersion,
  RecordedEvent,
  StreamAppend,
} from './event-store.js';
export { inRounds } from './in-rounds.js';
export { type LoadedState, loadState } from './load-state.js';
export type { EventPlace, Projection } from './projection.js';
export { splitStreamId } from './stream-id.js';
export { StreamMovedError } from './stream-moved-error.js';
export { type Unreadable, UnreadableEventError } from './unreadable-event-error.js';
