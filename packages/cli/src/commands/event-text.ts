import type { Schemas } from '@junction/client';
import { fields, present, pretty, printable } from '../output.js';

export type StoredEvent = Schemas['StoredEvent'];

/** An event as one JSON value: as the API has it, with its actor in words and without what is absent. */
export const eventJson = ({ metadata, ...event }: StoredEvent): object => ({
  ...event,
  metadata: present({ ...metadata, actor: actorOf(metadata) }),
});

export const actorOf = ({ actor }: StoredEvent['metadata']): string | undefined =>
  actor === null ? undefined : `${actor.kind} ${actor.id}`;

/** An event for a person, whole. */
export const eventText = ({ metadata, ...event }: StoredEvent): string =>
  fields({
    stream: `${event.stream_id}, version ${event.version}`,
    type: `${event.type} (schema version ${event.schema_version})`,
    recorded: event.recorded_at,
    event: event.event_id,
    by: actorOf(metadata),
    correlation: metadata.correlation_id ?? undefined,
    causation: metadata.causation_id ?? undefined,
    trace: metadata.traceparent ?? undefined,
    cursor: event.cursor,
  }) + pretty(event.data);

/** An event for a person, on one line. */
export const eventLine = (event: StoredEvent): string =>
  printable(
    [
      event.recorded_at,
      `${event.stream_id}@${event.version}`,
      event.type,
      JSON.stringify(event.data),
    ].join('  '),
  );
