import { v5 } from 'uuid';

/** The most events one command may append: the ids of a repeat are listed up to here. */
export const COMMAND_EVENTS_MAX = 1_000;

/** The same command always names its events alike: UUIDv5 (RFC 9562, section 5.5) of the index. */
export const eventIdOf = (commandId: string, index: number): string =>
  v5(index.toString(10), commandId);

/** Every id that a command's events can have. */
export const eventIdsOf = (commandId: string): readonly string[] =>
  Array.from({ length: COMMAND_EVENTS_MAX }, (_, index) => eventIdOf(commandId, index));
