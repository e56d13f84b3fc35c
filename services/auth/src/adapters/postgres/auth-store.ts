import { postgresEventStore } from '@junction/eventsourcing-postgres';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import { publish } from '../kafka/publish.js';
import { eventCodec } from './event-codec.js';
import { inline } from './read-models.js';

export interface AuthStoreOptions {
  readonly pool: pg.Pool;
  readonly vault: Vault;
  readonly afterCommit: () => void;
}

export type AuthStore = ReturnType<typeof authStore>;

/** The event store of this service, with what a request must read back written in the same breath. */
export const authStore = ({ pool, vault, afterCommit }: AuthStoreOptions) =>
  postgresEventStore({
    pool,
    codec: eventCodec(vault),
    source: 'junction/auth',
    publish,
    inline,
    afterCommit,
  });
