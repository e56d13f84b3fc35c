import { randomUUID } from 'node:crypto';
import { recordedTraceparent } from '@junction/telemetry';
import type pg from 'pg';
import {
  type AppendContext,
  checkAppends,
  type Event,
  type EventCodec,
  type EventMetadata,
  type ExpectedVersion,
  eventIdOf,
  type StreamAppend,
  storedJson,
} from '../../index.js';
import { cloudEventHeaders, type OutboxMessage, type Publish } from '../outbox/outbox.js';

/** A codec that may itself read from the database: keys, for instance. */
export interface PostgresCodec<E extends Event> extends EventCodec<E> {
  /**
   * Returns the same codec on the connection of a transaction. Transactions that each waited for a second connection of
   * the same pool would wait for each other.
   */
  within?(tx: pg.ClientBase): EventCodec<E>;
}

/** Settings by which events become rows. */
export interface RowMaking<E extends Event> {
  readonly codec: PostgresCodec<E>;
  /** ce_source of the published records, for instance `junction/auth`. */
  readonly source: string;
  readonly publish?: Publish<E> | undefined;
}

/** An append with everything computed that needs no database. */
export interface PreparedAppend<E extends Event> {
  readonly commandId: string;
  /** True when the caller knows the command id, so that this append may come again. */
  readonly isRepeatable: boolean;
  readonly metadata: EventMetadata;
  readonly parts: readonly PreparedPart<E>[];
}

interface PreparedPart<E extends Event> {
  readonly streamId: string;
  readonly expected: ExpectedVersion;
  readonly events: readonly PreparedEvent<E>[];
}

export interface PreparedEvent<E extends Event> {
  readonly eventId: string;
  readonly event: E;
  readonly schemaVersion: number;
  /** Data of the event as JSON. */
  readonly json: string;
  readonly records: readonly PreparedRecord[];
}

interface PreparedRecord extends OutboxMessage {
  readonly headers: Readonly<Record<string, string>>;
}

/** Encodes the events, assigns their ids, and makes the records to publish. */
export async function prepareAppend<E extends Event>(
  { codec, source, publish }: RowMaking<E>,
  appends: readonly StreamAppend<E>[],
  { commandId, metadata: given }: AppendContext,
): Promise<PreparedAppend<E>> {
  checkAppends(appends);
  const traceparent = given?.traceparent ?? recordedTraceparent();
  const metadata = { ...given, ...(traceparent !== undefined && { traceparent }) };
  const id = (commandId ?? randomUUID()).toLowerCase();
  let index = 0;

  const prepareEvent = async (streamId: string, event: E): Promise<PreparedEvent<E>> => {
    const { schemaVersion, data } = await codec.encode(streamId, event);
    const json = storedJson(streamId, event.type, data);
    const at = { streamId, eventId: eventIdOf(id, index++), data };
    const origin = { id: at.eventId, source, traceparent };
    const records = [publish?.(event, at) ?? []].flat().map((message) => ({
      ...message,
      headers: cloudEventHeaders(message, origin),
    }));
    return { eventId: at.eventId, event, schemaVersion, json, records };
  };

  const parts: PreparedPart<E>[] = [];
  for (const { streamId, expected, events } of appends) {
    const prepared: PreparedEvent<E>[] = [];
    // Events are encoded one after the other: encoding may seal with keys that come from the same, bounded pool.
    for (const event of events) prepared.push(await prepareEvent(streamId, event));
    parts.push({ streamId, expected, events: prepared });
  }
  return { commandId: id, isRepeatable: commandId !== undefined, metadata, parts };
}
