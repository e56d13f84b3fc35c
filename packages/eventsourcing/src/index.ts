export { AppendRefusedError } from './append-refused-error.js';
export {
  appendedOf,
  checkAppends,
  EVENT_BYTES_MAX,
  refuseReuse,
  storedJson,
  streamsOf,
} from './appends.js';
export { batchHandler } from './batch-handler.js';
export { commandHandler, type HandleCommand, type HandleContext } from './command-handler.js';
export { type Command, type DataOf, type Decider, type Event, replay } from './decider.js';
export { type EventsOf, personal, personalIn, schemasOf } from './declared-events.js';
export { type EventCodec, jsonCodec, type StoredData, schema } from './event-codec.js';
export { eventIdOf, eventIdsOf } from './event-id.js';
export type {
  AppendContext,
  Appended,
  BatchedAppend,
  BatchingEventStore,
  EventMetadata,
  EventStore,
  ExpectedVersion,
  LoadedStream,
  RecordedEvent,
  StreamAppend,
} from './event-store.js';
export type { Projection } from './projection.js';
export { retryWhenMoved } from './retry-when-moved.js';
export { splitStreamId } from './stream-id.js';
export { StreamMovedError } from './stream-moved-error.js';
