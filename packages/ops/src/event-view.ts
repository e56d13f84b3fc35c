import type { StreamEvent } from '@junction/contracts';
import type { StoredEvent } from '@junction/eventsourcing-postgres';
import { hideSealed } from '@junction/vault';
import { cursorOf } from './cursor.js';

/** Most bytes of an event's data: below the 1 MB of a gRPC message, with room for the other fields. */
const DATA_BYTES_MAX = 900_000;

/** Returns a stored event as an operator sees it, with sealed fields shown as [sealed]. */
export function eventView(stored: StoredEvent): StreamEvent {
  const { eventId, streamId, version, type, schemaVersion, metadata, recordedAt } = stored;
  const data = JSON.stringify(hideSealed(stored.data));
  const isTooLarge = Buffer.byteLength(data) > DATA_BYTES_MAX;
  return {
    eventId,
    streamId,
    version,
    cursor: cursorOf(stored),
    type,
    schemaVersion,
    dataJson: isTooLarge ? '' : data,
    dataOmitted: isTooLarge,
    metadata: {
      actorKind: metadata.actor?.kind ?? '',
      actorId: metadata.actor?.id ?? '',
      correlationId: metadata.correlationId ?? '',
      causationId: metadata.causationId ?? '',
      traceparent: metadata.traceparent ?? '',
    },
    recordedAt,
  };
}

/** Returns as many of the events, from the first, as fit into one message, and always at least the first. */
export function fitting(events: readonly StreamEvent[]): StreamEvent[] {
  const fit: StreamEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    bytes += Buffer.byteLength(event.dataJson) + OVERHEAD_BYTES;
    if (bytes > DATA_BYTES_MAX && fit.length > 0) break;
    fit.push(event);
  }
  return fit;
}

/** Bytes allowed for an event's other fields; ids, type and metadata together stay well below this number. */
const OVERHEAD_BYTES = 600;
