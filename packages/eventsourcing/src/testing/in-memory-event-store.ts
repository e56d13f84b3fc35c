import { randomUUID } from 'node:crypto';
import { appendedOf, checkAppends, refuseReuse, streamsOf } from '../appends.js';
import type { Event } from '../decider.js';
import { eventIdOf, eventIdsOf } from '../event-id.js';
import type {
  AppendContext,
  Appended,
  EventStore,
  ExpectedVersion,
  RecordedEvent,
  StreamAppend,
} from '../event-store.js';
import { StreamMovedError } from '../stream-moved-error.js';

export interface InMemoryEventStore<E extends Event> extends EventStore<E> {
  /** Everything stored, in the order of storing. */
  readonly recorded: readonly RecordedEvent<E>[];
}

/**
 * The store's twin without a database, for testing what uses a store. It passes the same contract
 * as the one on Postgres, and like there an event comes back as JSON leaves it.
 */
export function inMemoryEventStore<E extends Event>({
  now = () => new Date(),
  uuid = (): string => randomUUID(),
} = {}): InMemoryEventStore<E> {
  const recorded: RecordedEvent<E>[] = [];
  const commands = new Set<string>();
  const inStream = (id: string) => recorded.filter(({ streamId }) => streamId === id);

  const recall = (commandId: string, streamIds: readonly string[]): Appended<E> | undefined => {
    const ids = new Set(eventIdsOf(commandId));
    const events = recorded.filter(
      ({ eventId, streamId }) => ids.has(eventId) && streamIds.includes(streamId),
    );
    return events.length > 0 ? appendedOf(events, true) : undefined;
  };

  const append = (appends: readonly StreamAppend<E>[], context: AppendContext): Appended<E> => {
    checkAppends(appends);
    const { commandId = uuid(), metadata = {} } = context;
    if (commands.has(commandId)) {
      return recall(commandId, streamsOf(appends)) ?? refuseReuse(commandId);
    }
    checkExpectations(appends, (streamId) => inStream(streamId).length);

    commands.add(commandId);
    const before = recorded.length;
    for (const { streamId, events } of appends) {
      for (const event of events) {
        recorded.push({
          ...stored(event),
          eventId: eventIdOf(commandId, recorded.length - before),
          streamId,
          position: BigInt(recorded.length + 1),
          version: inStream(streamId).length + 1,
          tx: BigInt(commands.size),
          metadata,
          recordedAt: now(),
        });
      }
    }
    return appendedOf(recorded.slice(before), false);
  };

  return {
    recorded,
    async load(streamId) {
      const events = inStream(streamId);
      return { history: events.map(({ event }) => event), version: events.length };
    },
    append: async (appends, context = {}) => append(appends, context),
    recall: async (commandId, streamIds) => recall(commandId, streamIds),
  };
}

const stored = <E extends Event>(event: E) => ({
  type: event.type,
  schemaVersion: 1,
  event: JSON.parse(JSON.stringify(event)) as E,
});

function checkExpectations(
  appends: readonly StreamAppend[],
  versionOf: (streamId: string) => number,
): void {
  const versions = new Map(streamsOf(appends).map((id) => [id, versionOf(id)]));
  const moved: Record<string, number> = {};
  for (const { streamId, expected, events } of appends) {
    const version = versions.get(streamId) ?? 0;
    if (!isAsExpected(expected, version)) moved[streamId] = version;
    versions.set(streamId, version + events.length);
  }
  if (Object.keys(moved).length > 0) throw new StreamMovedError(moved);
}

function isAsExpected(expected: ExpectedVersion, version: number): boolean {
  if (expected === 'any') return true;
  if (expected === 'none') return version === 0;
  if (expected === 'exists') return version > 0;
  return version === expected;
}
