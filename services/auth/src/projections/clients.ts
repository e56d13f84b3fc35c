import type { Projection } from '@junction/eventsourcing';
import type { ClientEvent, Grant, PublicKeys } from '../domain/client/events.js';

/** The columns of `clients`. */
export interface ClientColumns {
  readonly client_id: string;
  readonly version: number;
  readonly name: string;
  readonly grants: readonly Grant[];
  readonly jwks: PublicKeys | null;
  readonly created_at: string;
}

/** Clients that operators registered and nobody revoked. Hashes of their secrets lie in another table. */
export const clients: Projection<ClientColumns, ClientEvent> = {
  table: 'clients',
  key: 'client_id',
  aggregate: 'client',

  evolve(row, { type, data }, { version }) {
    switch (type) {
      case 'client.registered': {
        const { clientId, name, grants, at } = data;
        return { client_id: clientId, version, name, grants, jwks: null, created_at: at };
      }
      case 'client.secret_added':
        return row && { ...row, version };
      case 'client.keys_set':
        return row && { ...row, version, jwks: data.jwks };
      case 'client.revoked':
        return undefined;
    }
  },
};
