import type { Event } from './decider.js';

/** Version that an append expects of a stream; a number (1 or more) is the exact version. */
export type ExpectedVersion = 'any' | 'none' | 'exists' | number;

/** Actor of an event, and the request or event that caused it. Holds ids only: metadata is never encrypted. */
export interface EventMetadata {
  readonly actor?: { readonly kind: 'user' | 'service' | 'system'; readonly id: string };
  readonly correlationId?: string;
  readonly causationId?: string;
  /** W3C Trace Context. Sent as a header of the published records. */
  readonly traceparent?: string;
}

/** An event as the store keeps it. */
export interface RecordedEvent<E extends Event = Event> {
  /** UUIDv5 of the command and the event's index in it; the ce_id of the published record. */
  readonly eventId: string;
  readonly streamId: string;
  /** Number in the stream: 1, 2, 3 … without gaps. */
  readonly version: number;
  /** Unique in the store. Readers order by (tx, position), never by position alone. */
  readonly position: bigint;
  readonly tx: bigint;
  readonly type: string;
  readonly schemaVersion: number;
  readonly event: E;
  readonly metadata: EventMetadata;
  readonly recordedAt: Date;
}

/** Events for one stream, and the version that the stream must have. */
export interface StreamAppend<E extends Event = Event> {
  readonly streamId: string;
  readonly expected: ExpectedVersion;
  readonly events: readonly E[];
}

export interface AppendContext {
  /**
   * UUID of the command behind the events. An append with a command id may be repeated at any time, also after a
   * connection was lost with the outcome unknown: its events are stored once. Without a command id the append gets a
   * new id that nobody can repeat.
   */
  readonly commandId?: string;
  readonly metadata?: EventMetadata;
}

export interface Appended<E extends Event = Event> {
  /** Streams that got events, each with its new version. */
  readonly streams: readonly { readonly streamId: string; readonly version: number }[];
  readonly events: readonly RecordedEvent<E>[];
  /** True when the command id had been appended before; `events` are those that were stored then. */
  readonly repeated: boolean;
}

export interface LoadOptions {
  /**
   * Waits for the append that is under way, and keeps other appends to the stream out until the end of the transaction
   * that the store is within, if there is one.
   */
  readonly isHeld?: boolean;
}

/** The events of a stream, and its version. */
export interface LoadedStream<E extends Event = Event> {
  readonly history: readonly E[];
  readonly version: number;
}

/** A store of events. All appends of one call are stored, or none. */
export interface EventStore<E extends Event = Event> {
  /**
   * Returns the events of a stream, and its version. Throws when an event is missing or cannot be read
   * (UnreadableEventError).
   */
  load(streamId: string, options?: LoadOptions): Promise<LoadedStream<E>>;

  /**
   * Stores events. Throws StreamMovedError when a stream does not have the expected version (never for a repeated
   * command), and AppendRefusedError for an append that no store takes.
   */
  append(appends: readonly StreamAppend<E>[], context?: AppendContext): Promise<Appended<E>>;

  /** Returns the events that a command stored in these streams; undefined when the command never appended. */
  recall(commandId: string, streamIds: readonly string[]): Promise<Appended<E> | undefined>;
}

/** An append with its command, as part of a batch. */
export interface BatchedAppend<E extends Event> {
  readonly appends: readonly StreamAppend<E>[];
  readonly context?: AppendContext;
}

/** An event store that also loads several streams, and takes the appends of several commands, at once. */
export interface BatchingEventStore<E extends Event = Event> extends EventStore<E> {
  /** Returns by stream what `load` returns of it; a stream without events is left out. */
  loadMany(streamIds: readonly string[]): Promise<ReadonlyMap<string, LoadedStream<E>>>;

  /**
   * Stores all appends of the batch, or none; the answers are in the order of the appends. A command that occurs twice
   * in the batch is its own repeat.
   */
  appendMany(batch: readonly BatchedAppend<E>[]): Promise<readonly Appended<E>[]>;
}
