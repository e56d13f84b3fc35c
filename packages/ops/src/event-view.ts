import type { StreamEvent } from '@junction/contracts';
import type { StoredEvent } from '@junction/eventsourcing-postgres';
import { hideSealed } from '@junction/vault';
import { cursorOf } from './cursor.js';

/** Below the 1 MB of a gRPC message, with room for what stands beside the data. */
const DATA_BYTES_MAX = 900_000;

/** A stored event as an operator sees it: as it lies there, what is sealed as [sealed]. */
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

/** As many of them, from the first, as fit into one message; always one. */
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

/** Of an event's other fields; ids, type and metadata together stay well below it. */
const OVERHEAD_BYTES = 600;
