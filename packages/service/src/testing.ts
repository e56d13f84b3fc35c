import type { Event } from '@junction/eventsourcing';
import {
  type PostgresEventStore,
  type ProjectionSet,
  postgresEventStore,
} from '@junction/eventsourcing/postgres';
import type { Vault } from '@junction/vault';
import type pg from 'pg';
import type { Streams } from './platform/service.js';

/** Creates the event store of a service on the database of a test, without relay and notifier. */
export const storeOn = <E extends Event>(
  { codec, source, publish, inline }: Streams<E>,
  pool: pg.Pool,
  vault: Vault,
): PostgresEventStore<E> =>
  postgresEventStore({ pool, codec: codec(vault), source, publish, inline });

/** Creates the read models of a service on the database of a test, to rebuild them. */
export const readModelsOn = <E extends Event>(
  { codec, inline }: Streams<E>,
  pool: pg.Pool,
  vault: Vault,
): ProjectionSet<E> => ({ pool, codec: codec(vault), inline });

// Lets a test make requests as a user without a token.
export { setCaller } from './http/caller.js';
