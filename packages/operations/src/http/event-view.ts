import type { StoredEvent } from '@junction/eventsourcing/postgres';
import { hideSealed } from '@junction/vault';
import { z } from 'zod';
import { cursorOf } from './cursor.js';

/** Most bytes of a page of events, which is held in memory whole. */
const PAGE_BYTES_MAX = 900_000;

export const event = z
  .object({
    event_id: z.uuid().describe('UUIDv5 of the command and the place of the event in it.'),
    stream_id: z.string(),
    version: z.int(),
    cursor: z.string().describe('Place among all events: following goes on after it.'),
    type: z.string(),
    schema_version: z.int(),
    recorded_at: z.iso.datetime(),
    data: z.unknown().describe('As it was stored; sealed fields read `[sealed]`.'),
    metadata: z.object({
      actor: z.object({ kind: z.enum(['user', 'service', 'system']), id: z.string() }).nullable(),
      correlation_id: z.string().nullable(),
      causation_id: z.string().nullable(),
      traceparent: z.string().nullable().describe('W3C Trace Context.'),
    }),
  })
  .meta({ id: 'StoredEvent' });

export type EventView = ReturnType<typeof eventView>;

/** Returns a stored event as an operator sees it, with sealed fields shown as [sealed]. */
export const eventView = (stored: StoredEvent) => ({
  event_id: stored.eventId,
  stream_id: stored.streamId,
  version: stored.version,
  cursor: cursorOf(stored),
  type: stored.type,
  schema_version: stored.schemaVersion,
  recorded_at: stored.recordedAt.toISOString(),
  data: hideSealed(stored.data),
  metadata: {
    actor: stored.metadata.actor ?? null,
    correlation_id: stored.metadata.correlationId ?? null,
    causation_id: stored.metadata.causationId ?? null,
    traceparent: stored.metadata.traceparent ?? null,
  },
});

/** Returns as many of the events, from the first, as fit on one page, and always at least the first. */
export function fitting(events: readonly EventView[]): EventView[] {
  const fit: EventView[] = [];
  let bytes = 0;
  for (const event of events) {
    bytes += Buffer.byteLength(JSON.stringify(event));
    if (bytes > PAGE_BYTES_MAX && fit.length > 0) break;
    fit.push(event);
  }
  return fit;
}
