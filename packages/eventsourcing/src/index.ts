export { appendedOf, checkAppends, refuseReuse, streamsOf } from './appends.js';
export { commandHandler, type HandleCommand, type Handled } from './command-handler.js';
export { type Command, type Decider, type Event, replay } from './decider.js';
export { type Decoders, type EventCodec, jsonCodec, type StoredData } from './event-codec.js';
export { COMMAND_EVENTS_MAX, eventIdOf, eventIdsOf } from './event-id.js';
export type {
  AppendContext,
  Appended,
  EventMetadata,
  EventStore,
  ExpectedVersion,
  RecordedEvent,
  StreamAppend,
} from './event-store.js';
export type { EventPlace, Projection } from './projection.js';
export { splitStreamId } from './stream-id.js';
export { StreamMovedError } from './stream-moved-error.js';
