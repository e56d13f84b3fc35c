import {
  type BatchingEventStore,
  batchHandler,
  commandHandler,
  type EventStore,
} from '@junction/eventsourcing';
import { type ConnectionCommand, connectionDecider } from '../domain/connection/decider.js';
import type { ConnectionEvent } from '../domain/connection/events.js';
import type { CommandContext, HandledCommand } from './unit-of-work.js';

export const byUser = (userId: string): CommandContext['actor'] => ({ kind: 'user', id: userId });
export const bySystem: CommandContext['actor'] = { kind: 'system', id: 'integrations' };

/** Returns the stream of a connection: `connection-con_…`. */
export const connectionStream = (connectionId: string): string => `connection-${connectionId}`;

/** Loads a connection from the store, decides a command about it, and appends what was decided. */
export function connectionHandler(store: EventStore<ConnectionEvent>) {
  const handle = commandHandler(store, connectionDecider);
  return async (
    connectionId: string,
    command: ConnectionCommand,
    { actor, commandId, ifVersion }: CommandContext,
  ): Promise<HandledCommand> => {
    const named = commandId === undefined ? {} : { commandId };
    const context = { metadata: { actor }, ifVersion, ...named };
    return handle(connectionStream(connectionId), command, context);
  };
}

/** The same for several connections, with one append. */
export function connectionsHandler(store: BatchingEventStore<ConnectionEvent>) {
  const handle = batchHandler(store, connectionDecider);
  return async (
    commands: readonly { readonly connectionId: string; readonly command: ConnectionCommand }[],
    { actor }: Pick<CommandContext, 'actor'>,
  ): Promise<void> => {
    const metadata = { actor };
    await handle(
      commands.map(({ connectionId, command }) => {
        return { streamId: connectionStream(connectionId), command, metadata };
      }),
    );
  };
}
