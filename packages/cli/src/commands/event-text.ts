import type { StreamEvent } from '@junction/contracts';
import { fields, pretty, printable } from '../output.js';

/** An event as one JSON value: names as in proto/junction/ops/v1, its data as JSON. */
export function eventJson(event: StreamEvent): object {
  const { eventId, streamId, schemaVersion, version, cursor, type, recordedAt } = event;
  return {
    event_id: eventId,
    stream_id: streamId,
    version,
    cursor,
    type,
    schema_version: schemaVersion,
    recorded_at: recordedAt?.toISOString(),
    data: dataOf(event),
    metadata: event.metadata && {
      actor: actorOf(event),
      correlation_id: event.metadata.correlationId || undefined,
      causation_id: event.metadata.causationId || undefined,
      traceparent: event.metadata.traceparent || undefined,
    },
  };
}

/** null: too large for a message. */
const dataOf = ({ dataJson, dataOmitted }: StreamEvent): unknown =>
  dataOmitted ? null : JSON.parse(dataJson);

export function actorOf({ metadata }: StreamEvent): string | undefined {
  if (!metadata?.actorKind) return undefined;
  return `${metadata.actorKind} ${metadata.actorId}`;
}

/** An event for a person, whole. */
export const eventText = (event: StreamEvent): string =>
  fields({
    stream: `${event.streamId}, version ${event.version}`,
    type: `${event.type} (schema version ${event.schemaVersion})`,
    recorded: event.recordedAt?.toISOString(),
    event: event.eventId,
    by: actorOf(event),
    correlation: event.metadata?.correlationId,
    causation: event.metadata?.causationId,
    trace: event.metadata?.traceparent,
    cursor: event.cursor,
  }) + (event.dataOmitted ? 'Its data are too large to show.\n' : pretty(dataOf(event)));

/** An event for a person, on one line. */
export const eventLine = (event: StreamEvent): string =>
  printable(
    [
      event.recordedAt?.toISOString() ?? '',
      `${event.streamId}@${event.version}`,
      event.type,
      event.dataOmitted ? '(too large to show)' : event.dataJson,
    ].join('  '),
  );
