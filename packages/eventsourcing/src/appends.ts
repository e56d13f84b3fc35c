import { AppError } from '@junction/errors';
import { AppendRefusedError } from './append-refused-error.js';
import type { Event } from './decider.js';
import { COMMAND_EVENTS_MAX } from './event-id.js';
import type { Appended, RecordedEvent, StreamAppend } from './event-store.js';

/** Maximum bytes of an event's data as JSON. The published part must fit into a Kafka record, headers included. */
export const EVENT_BYTES_MAX = 1_000_000;

/** Maximum length of a stream id: an index entry holds 2,704 bytes, and a character takes up to four. */
const STREAM_ID_CHARACTERS_MAX = 255;

/** `<aggregate>-<id>` without control characters, nor halves of surrogate pairs: UTF-8 has none. */
const STREAM_ID = /^[^-\p{Cc}\p{Cs}]+-[^\p{Cc}\p{Cs}]+$/u;

/** Refuses an append that no store takes, before any store tries. */
export function checkAppends(appends: readonly StreamAppend[]): void {
  if (appends.length === 0 || appends.some(({ events }) => events.length === 0)) {
    throw new RangeError('An append needs at least one event for each of its streams.');
  }
  const count = appends.reduce((sum, { events }) => sum + events.length, 0);
  if (count > COMMAND_EVENTS_MAX) {
    throw new RangeError(`An append holds ${count} events; at most ${COMMAND_EVENTS_MAX} may be.`);
  }
  for (const { streamId, expected } of appends) {
    checkStreamId(streamId);
    if (typeof expected !== 'number' || (Number.isSafeInteger(expected) && expected > 0)) continue;
    throw new RangeError(
      `Version ${expected} cannot be expected of ${streamId}: say 'none' or n ≥ 1.`,
    );
  }
}

function checkStreamId(streamId: string): void {
  if (streamId.length <= STREAM_ID_CHARACTERS_MAX && STREAM_ID.test(streamId)) return;
  throw new AppendRefusedError(
    'stream_id_invalid',
    `${JSON.stringify(streamId.slice(0, STREAM_ID_CHARACTERS_MAX))} is no stream id: it must read ` +
      `<aggregate>-<id>, have at most ${STREAM_ID_CHARACTERS_MAX} characters and none to control.`,
  );
}

/**
 * Pattern of the escapes by which JSON.stringify writes U+0000 and half a surrogate pair. After an even number of
 * backslashes the `u` is plain text.
 */
const NOT_STORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** Returns an event's data as stored JSON. Refuses data that is too large, or that not every store can hold. */
export function storedJson(streamId: string, type: string, data: object): string {
  const json = JSON.stringify(data);
  // Postgres texts can hold neither. Most JSON has no such escape at all, which `includes` finds out quickly.
  if (json.includes('\\u') && NOT_STORABLE.test(json)) {
    throw new AppendRefusedError(
      'event_data_invalid',
      `A ${type} for ${streamId} holds U+0000 or half a surrogate pair, which no store can keep: refuse ` +
        'such text where it comes in.',
    );
  }
  // Most events are so short that their bytes need no counting: a UTF-16 unit takes at most three bytes.
  const bytes = json.length * 3 > EVENT_BYTES_MAX ? Buffer.byteLength(json) : 0;
  if (bytes <= EVENT_BYTES_MAX) return json;
  throw new AppendRefusedError(
    'event_too_large',
    `A ${type} for ${streamId} has ${bytes} bytes as JSON; at most ${EVENT_BYTES_MAX} may be.`,
  );
}

/** Returns the streams that an append names, each once. */
export const streamsOf = (
  appends: readonly Pick<StreamAppend, 'streamId'>[],
): readonly string[] => [...new Set(appends.map(({ streamId }) => streamId))];

/** Builds a store's answer from the events that it stored. */
export function appendedOf<E extends Event>(
  events: readonly RecordedEvent<E>[],
  repeated: boolean,
): Appended<E> {
  const versions = new Map(events.map(({ streamId, version }) => [streamId, version]));
  const streams = [...versions].map(([streamId, version]) => ({ streamId, version }));
  return { streams, events, repeated };
}

/**
 * Refuses a known command id without events in the named streams: two different requests share the id.
 * @throws AppError `command_id_reused`
 */
export function refuseReuse(commandId: string): never {
  throw new AppError(
    'command_id_reused',
    `Command ${commandId} was already used for something else. Use a new id for a new command.`,
  );
}
