import { type PostgresEventStore, postgresEventStore } from '@junction/eventsourcing-postgres';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { ConnectionEvent } from '../../domain/connection/events.js';
import { INTEGRATIONS_SOURCE, publishConnectionEvent } from '../kafka/publication.js';
import { connectionCodec } from './event-codec.js';
import { inline } from './read-models.js';

export type ConnectionStore = PostgresEventStore<ConnectionEvent>;

/** The event store of this service; its read model is written in the same transaction. */
export const connectionStore = (pool: pg.Pool, vault: Vault): ConnectionStore =>
  postgresEventStore<ConnectionEvent>({
    pool,
    codec: connectionCodec(vault),
    source: INTEGRATIONS_SOURCE,
    publish: publishConnectionEvent,
    inline,
  });
