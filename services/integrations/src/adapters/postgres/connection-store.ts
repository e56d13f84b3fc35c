import { commandHandler, type EventMetadata } from '@junction/eventsourcing';
import {
  type PostgresEventStore,
  type PostgresSnapshots,
  postgresEventStore,
  postgresSnapshots,
} from '@junction/eventsourcing-postgres';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import {
  type Connection,
  type ConnectionCommand,
  connectionDecider,
} from '../../domain/connection/decider.js';
import type { ConnectionEvent } from '../../domain/connection/events.js';
import { INTEGRATIONS_SOURCE, publishConnectionEvent } from '../kafka/publication.js';
import { connectionCodec } from './connection-codec.js';
import { connectionState } from './connection-state.js';
import { inline } from './read-models.js';

export interface ConnectionStore extends PostgresEventStore<ConnectionEvent> {
  /** A connection is refreshed many times a day, for years. */
  readonly snapshots: PostgresSnapshots<Connection>;
}

export interface ConnectionStoreOptions {
  readonly pool: pg.Pool;
  readonly vault: Vault;
  /** A snapshot was not taken; nobody waited for it. */
  readonly onError: (error: unknown) => void;
}

/** The event store of this service, with the read model written in the same breath. */
export function connectionStore({ pool, vault, onError }: ConnectionStoreOptions): ConnectionStore {
  const store = postgresEventStore<ConnectionEvent>({
    pool,
    codec: connectionCodec(vault),
    source: INTEGRATIONS_SOURCE,
    publish: publishConnectionEvent,
    inline,
  });
  const decider = connectionDecider;
  const snapshots = postgresSnapshots({ pool, store, decider, codec: connectionState, onError });
  return { ...store, snapshots };
}

export const connectionStream = (connectionId: string): string => `connection-${connectionId}`;

export interface Act {
  readonly connectionId: string;
  readonly command: ConnectionCommand;
  readonly actor: EventMetadata['actor'] & object;
  /** Lets the act be repeated when its outcome is unknown. */
  readonly commandId?: string;
}

/** Decides and appends in the caller's transaction; gives what the command led to, also before. */
export async function act(
  store: ConnectionStore,
  tx: pg.PoolClient,
  { connectionId, command, actor, commandId }: Act,
): Promise<{ readonly events: readonly ConnectionEvent[]; readonly repeated: boolean }> {
  const snapshots = store.snapshots.within(tx);
  const handle = commandHandler(store.within(tx), connectionDecider, { snapshots });
  const context = { metadata: { actor }, ...(commandId !== undefined && { commandId }) };
  return handle(connectionStream(connectionId), command, context);
}

export const byUser = (userId: string): Act['actor'] => ({ kind: 'user', id: userId });
export const byItself: Act['actor'] = { kind: 'system', id: 'integrations' };
