import { v5 } from 'uuid';

/** Maximum events of a command: the ids of a repeated command are listed up to this number. */
export const COMMAND_EVENTS_MAX = 1_000;

/**
 * Returns the id of an event: UUIDv5 (RFC 9562, section 5.5) of its index under the command, so that the same command
 * always gives its events the same ids.
 */
export const eventIdOf = (commandId: string, index: number): string =>
  v5(index.toString(10), commandId);

/** Returns every id that the events of a command can have. */
export const eventIdsOf = (commandId: string): readonly string[] =>
  Array.from({ length: COMMAND_EVENTS_MAX }, (_, index) => eventIdOf(commandId, index));
