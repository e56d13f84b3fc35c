import { commandHandler, type EventStore } from '@junction/eventsourcing';
import { connectionDecider } from '../domain/connection/decider.js';
import type { ConnectionEvent } from '../domain/connection/events.js';
import { connectionStream } from './streams.js';
import type { Transaction } from './unit-of-work.js';

/** Loads a connection from the store, decides a command about it, and appends what was decided. */
export function connectionHandler(store: EventStore<ConnectionEvent>): Transaction['handle'] {
  const handle = commandHandler(store, connectionDecider);
  return async (connectionId, command, { actor, commandId }) => {
    const context = { metadata: { actor }, ...(commandId !== undefined && { commandId }) };
    return handle(connectionStream(connectionId), command, context);
  };
}
