import { randomUUID } from 'node:crypto';
import { appendedOf, checkAppends, refuseReuse, storedJson, streamsOf } from '../appends.js';
import type { Event } from '../decider.js';
import type { EventCodec } from '../event-codec.js';
import { eventIdOf, eventIdsOf } from '../event-id.js';
import type {
  Appended,
  BatchedAppend,
  BatchingEventStore,
  EventMetadata,
  ExpectedVersion,
  RecordedEvent,
  StreamAppend,
} from '../event-store.js';
import { StreamMovedError } from '../stream-moved-error.js';

export interface InMemoryEventStore<E extends Event> extends BatchingEventStore<E> {
  /** Everything stored, in the order of storing. */
  readonly recorded: readonly RecordedEvent<E>[];
}

export interface InMemoryOptions<E extends Event> {
  /** What refuses events of a wrong type or shape, as it does before Postgres. Default: nothing. */
  readonly codec?: Pick<EventCodec<E>, 'encode'>;
  readonly now?: () => Date;
  readonly uuid?: () => string;
}

/** An append whose events are as the database would give them back. */
interface PreparedAppend<E extends Event> {
  readonly commandId: string;
  readonly metadata: EventMetadata;
  readonly parts: readonly {
    readonly streamId: string;
    readonly expected: ExpectedVersion;
    readonly events: readonly StoredForm<E>[];
  }[];
}

type StoredForm<E extends Event> = Pick<RecordedEvent<E>, 'type' | 'schemaVersion' | 'event'>;

/**
 * The store's twin without a database, for testing what uses a store. It passes the same contract
 * as the one on Postgres, and like there an event comes back as JSON leaves it.
 */
export function inMemoryEventStore<E extends Event>({
  codec = { encode: async (_, { data }) => ({ schemaVersion: 1, data }) },
  now = () => new Date(),
  uuid = (): string => randomUUID(),
}: InMemoryOptions<E> = {}): InMemoryEventStore<E> {
  const { recorded, commands, inStream, recall, record } = shelf<E>(now);

  /** Nothing is awaited in here, so nobody comes in between. */
  const appendAll = (batch: readonly PreparedAppend<E>[]): readonly Appended<E>[] => {
    const fresh = firstsOf(batch).filter(({ commandId }) => !commands.has(commandId));
    checkExpectations(fresh, (streamId) => inStream(streamId).length);
    const before = recorded.length;
    try {
      const stored = new Map(fresh.map((append) => [append, record(append)]));
      return batch.map((append) => {
        const { commandId, parts } = append;
        return stored.get(append) ?? recall(commandId, streamsOf(parts)) ?? refuseReuse(commandId);
      });
    } catch (error) {
      recorded.splice(before);
      for (const { commandId } of fresh) commands.delete(commandId);
      throw error;
    }
  };

  const appendMany = async (batch: readonly BatchedAppend<E>[]) => {
    const prepared: PreparedAppend<E>[] = [];
    for (const { appends, context: { commandId = uuid(), metadata = {} } = {} } of batch) {
      const parts = await preparedParts(codec, appends);
      prepared.push({ commandId: commandId.toLowerCase(), metadata, parts });
    }
    return appendAll(prepared);
  };

  return {
    recorded,
    async load(streamId) {
      const events = inStream(streamId);
      const history = events.map(({ event }) => event);
      return { history, version: history.length };
    },
    async append(appends, context = {}) {
      const [appended] = await appendMany([{ appends, context }]);
      if (!appended) throw new Error('An append was not answered.');
      return appended;
    },
    appendMany,
    recall: async (commandId, streamIds) => recall(commandId, streamIds),
  };
}

/** What lies in the store. */
function shelf<E extends Event>(now: () => Date) {
  const recorded: RecordedEvent<E>[] = [];
  const commands = new Set<string>();
  const inStream = (id: string) => recorded.filter(({ streamId }) => streamId === id);

  return {
    recorded,
    commands,
    inStream,

    recall(commandId: string, streamIds: readonly string[]): Appended<E> | undefined {
      const ids = new Set(eventIdsOf(commandId));
      const events = recorded.filter(
        ({ eventId, streamId }) => ids.has(eventId) && streamIds.includes(streamId),
      );
      return events.length > 0 ? appendedOf(events, true) : undefined;
    },

    record({ commandId, metadata, parts }: PreparedAppend<E>): Appended<E> {
      const before = recorded.length;
      commands.add(commandId);
      for (const { streamId, events } of parts) {
        for (const form of events) {
          recorded.push({
            ...form,
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
    },
  };
}

async function preparedParts<E extends Event>(
  codec: Pick<EventCodec<E>, 'encode'>,
  appends: readonly StreamAppend<E>[],
): Promise<PreparedAppend<E>['parts']> {
  checkAppends(appends);
  const parts: PreparedAppend<E>['parts'][number][] = [];
  for (const { streamId, expected, events } of appends) {
    const forms: StoredForm<E>[] = [];
    for (const event of events) forms.push(await storedForm(codec, streamId, event));
    parts.push({ streamId, expected, events: forms });
  }
  return parts;
}

async function storedForm<E extends Event>(
  codec: Pick<EventCodec<E>, 'encode'>,
  streamId: string,
  event: E,
): Promise<StoredForm<E>> {
  const { type } = event;
  const { schemaVersion, data } = await codec.encode(streamId, event);
  const stored = JSON.parse(storedJson(streamId, type, data)) as object;
  return { type, schemaVersion, event: { type, data: stored } as E };
}

/** Without the commands that came before in the same batch. */
const firstsOf = <E extends Event>(batch: readonly PreparedAppend<E>[]) => {
  const firsts = new Map(batch.toReversed().map((append) => [append.commandId, append]));
  return batch.filter((append) => firsts.get(append.commandId) === append);
};

function checkExpectations<E extends Event>(
  batch: readonly PreparedAppend<E>[],
  versionOf: (streamId: string) => number,
): void {
  const versions = new Map<string, number>();
  const moved: Record<string, number> = {};
  for (const { streamId, expected, events } of batch.flatMap(({ parts }) => parts)) {
    const version = versions.get(streamId) ?? versionOf(streamId);
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
