import { commandHandler, type EventMetadata } from '@junction/eventsourcing';
import {
  type PostgresEventStore,
  postgresEventStore,
  rowProjection,
} from '@junction/eventsourcing-postgres';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import { type ConnectionCommand, connectionDecider } from '../../domain/connection/decider.js';
import type { ConnectionEvent } from '../../domain/connection/events.js';
import { connectionRow } from '../../projections/connection-row.js';
import { INTEGRATIONS_SOURCE, publishConnectionEvent } from '../kafka/publication.js';
import { connectionCodec } from './connection-codec.js';

export type ConnectionStore = PostgresEventStore<ConnectionEvent>;

/** The event store of this service, with the read model written in the same breath. */
export const connectionStore = (pool: pg.Pool, vault: Vault): ConnectionStore =>
  postgresEventStore({
    pool,
    codec: connectionCodec(vault),
    source: INTEGRATIONS_SOURCE,
    publish: publishConnectionEvent,
    inline: [rowProjection(connectionRow)],
  });

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
  const handle = commandHandler(store.within(tx), connectionDecider);
  const context = { metadata: { actor }, ...(commandId !== undefined && { commandId }) };
  return handle(`connection-${connectionId}`, command, context);
}

export const byUser = (userId: string): Act['actor'] => ({ kind: 'user', id: userId });
export const byItself: Act['actor'] = { kind: 'system', id: 'integrations' };
