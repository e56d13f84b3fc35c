import { AppError } from '@junction/errors';
import type { Event } from './decider.js';
import { COMMAND_EVENTS_MAX } from './event-id.js';
import type { Appended, RecordedEvent, StreamAppend } from './event-store.js';

/** Refuses what no store can append, before any store tries. */
export function checkAppends(appends: readonly StreamAppend[]): void {
  if (appends.length === 0 || appends.some(({ events }) => events.length === 0)) {
    throw new RangeError('An append needs at least one event for each of its streams.');
  }
  const count = appends.reduce((sum, { events }) => sum + events.length, 0);
  if (count > COMMAND_EVENTS_MAX) {
    throw new RangeError(`An append holds ${count} events; at most ${COMMAND_EVENTS_MAX} may be.`);
  }
  for (const { streamId, expected } of appends) {
    if (typeof expected !== 'number' || (Number.isSafeInteger(expected) && expected > 0)) continue;
    throw new RangeError(
      `Version ${expected} cannot be expected of ${streamId}: say 'none' or n ≥ 1.`,
    );
  }
}

/** The streams that an append names, each once. */
export const streamsOf = (appends: readonly StreamAppend[]): readonly string[] => [
  ...new Set(appends.map(({ streamId }) => streamId)),
];

/** What a store answers, from the events it stored. */
export function appendedOf<E extends Event>(
  events: readonly RecordedEvent<E>[],
  repeated: boolean,
): Appended<E> {
  const versions = new Map(events.map(({ streamId, version }) => [streamId, version]));
  const streams = [...versions].map(([streamId, version]) => ({ streamId, version }));
  return { streams, events, repeated };
}

/** For a known command id without events in the streams named: two different wishes share it. */
export function refuseReuse(commandId: string): never {
  throw new AppError(
    'conflict',
    'command_id_reused',
    `Command ${commandId} was already used for something else. Use a new id for a new command.`,
  );
}
