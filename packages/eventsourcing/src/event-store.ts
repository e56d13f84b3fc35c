import type { Event } from './decider.js';

/** What a stream must look like for an append to count; a number (1 or more) is its exact version. */
export type ExpectedVersion = 'any' | 'none' | 'exists' | number;

/** Who did it, and in the course of what. Ids only: metadata is never encrypted. */
export interface EventMetadata {
  readonly actor?: { readonly kind: 'user' | 'service' | 'system'; readonly id: string };
  readonly correlationId?: string;
  readonly causationId?: string;
  /** W3C Trace Context. Goes out as a header with what is published. */
  readonly traceparent?: string;
}

/** An event as the store keeps it. */
export interface RecordedEvent<E extends Event = Event> {
  /** UUIDv5 of the command and the event's place in it; the ce_id of what is published. */
  readonly eventId: string;
  readonly streamId: string;
  /** Place in the stream: 1, 2, 3 … without gaps. */
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

/** Events for one stream, and what that stream must look like to get them. */
export interface StreamAppend<E extends Event = Event> {
  readonly streamId: string;
  readonly expected: ExpectedVersion;
  readonly events: readonly E[];
}

export interface AppendContext {
  /**
   * A UUID that names the command behind the events. An append with a command id may be repeated at
   * any time, also after a connection was lost with its outcome unknown: it is stored once. Without
   * one the append gets a new id that nobody can repeat.
   */
  readonly commandId?: string;
  readonly metadata?: EventMetadata;
}

export interface Appended<E extends Event = Event> {
  /** The streams that got events, each with its version afterwards. */
  readonly streams: readonly { readonly streamId: string; readonly version: number }[];
  readonly events: readonly RecordedEvent<E>[];
  /** The command id had been appended before; `events` are those stored then. */
  readonly repeated: boolean;
}

export interface LoadOptions {
  /**
   * After the append that is under way, and nobody else appends to the stream before the end of the transaction that
   * the store is within, if there is one.
   */
  readonly isHeld?: boolean;
}

/** Where facts are kept. All appends of one call are stored, or none. */
export interface EventStore<E extends Event = Event> {
  /**
   * The events of a stream, and its version. Throws when one of them is missing, or cannot be read
   * (UnreadableEventError).
   */
  load(
    streamId: string,
    options?: LoadOptions,
  ): Promise<{ readonly history: readonly E[]; readonly version: number }>;

  /**
   * Throws StreamMovedError when a stream is not as expected (a repeated command never does),
   * AppendRefusedError for what no store takes.
   */
  append(appends: readonly StreamAppend<E>[], context?: AppendContext): Promise<Appended<E>>;

  /** What a command stored in these streams; undefined when it never appended. */
  recall(commandId: string, streamIds: readonly string[]): Promise<Appended<E> | undefined>;
}

/** An append and its command, as one of several. */
export interface BatchedAppend<E extends Event> {
  readonly appends: readonly StreamAppend<E>[];
  readonly context?: AppendContext;
}

/** An event store that also takes the appends of several commands at once. */
export interface BatchingEventStore<E extends Event = Event> extends EventStore<E> {
  /**
   * All of them, or none; the answers stand in the order of the appends. A command that stands in the
   * batch twice is its own repeat.
   */
  appendMany(batch: readonly BatchedAppend<E>[]): Promise<readonly Appended<E>[]>;
}
