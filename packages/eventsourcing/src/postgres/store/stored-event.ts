import type { Event, EventCodec, EventMetadata, RecordedEvent } from '../../index.js';

/** An event as it lies in the table, its data not yet decoded. */
export type StoredEvent = Omit<RecordedEvent, 'event'> & { readonly data: unknown };

export const EVENT_COLUMNS = `event_id, stream_id, version, position, tx, type, schema_version, data,
       metadata, recorded_at`;

export interface EventRow {
  readonly event_id: string;
  readonly stream_id: string;
  readonly version: number;
  /** int8 and xid8 come as text: they do not fit a number. */
  readonly position: string;
  readonly tx: string;
  readonly type: string;
  readonly schema_version: number;
  readonly data: unknown;
  readonly metadata: EventMetadata;
  readonly recorded_at: Date;
}

export const storedEvent = (row: EventRow): StoredEvent => ({
  eventId: row.event_id,
  streamId: row.stream_id,
  version: row.version,
  position: BigInt(row.position),
  tx: BigInt(row.tx),
  type: row.type,
  schemaVersion: row.schema_version,
  data: row.data,
  metadata: row.metadata,
  recordedAt: row.recorded_at,
});

export async function recordedEvent<E extends Event>(
  codec: EventCodec<E>,
  stored: StoredEvent,
): Promise<RecordedEvent<E>> {
  const { data: _, ...place } = stored;
  return { ...place, event: await codec.decode(stored.streamId, stored) };
}
