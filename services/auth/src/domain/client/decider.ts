import { AppError } from '@junction/errors';
import type { Command, DataOf, Decider } from '@junction/eventsourcing';
import type { ClientEvent } from './events.js';

/** Times are ISO 8601 in UTC. */
export type ClientCommand =
  | Command<'RegisterClient', DataOf<ClientEvent, 'client.registered'>>
  | Command<
      'AddSecret',
      Omit<DataOf<ClientEvent, 'client.secret_added'>, 'clientId' | 'secretVersion'>
    >
  | Command<'SetKeys', Omit<DataOf<ClientEvent, 'client.keys_set'>, 'clientId'>>
  | Command<'RevokeClient', { at: string }>;

export type Client =
  | { readonly status: 'unknown' }
  | {
      readonly status: 'active';
      readonly clientId: string;
      /** The version of the newest secret; 0 for a client without any. */
      readonly secretVersion: number;
    }
  | { readonly status: 'revoked' };

export const clientDecider: Decider<Client, ClientCommand, ClientEvent> = {
  initialState: { status: 'unknown' },
  decide,
  evolve,
};

function decide(command: ClientCommand, client: Client): readonly ClientEvent[] {
  switch (command.type) {
    case 'RegisterClient': {
      if (client.status !== 'unknown') {
        throw new AppError('client_exists', 'This client id is taken; ask again.');
      }
      return [{ type: 'client.registered', data: command.data }];
    }

    case 'AddSecret': {
      const { clientId, secretVersion: last } = active(client);
      const data = { clientId, secretVersion: last + 1, ...command.data };
      return [{ type: 'client.secret_added', data }];
    }

    case 'SetKeys': {
      const { clientId } = active(client);
      return [{ type: 'client.keys_set', data: { clientId, ...command.data } }];
    }

    case 'RevokeClient': {
      if (client.status === 'revoked') return [];
      const { clientId } = active(client);
      return [{ type: 'client.revoked', data: { clientId, ...command.data } }];
    }
  }
}

function active(client: Client): Extract<Client, { status: 'active' }> {
  if (client.status === 'active') return client;
  throw new AppError('client_not_found', 'There is no client with this id.');
}

function evolve(client: Client, { type, data }: ClientEvent): Client {
  switch (type) {
    case 'client.registered':
      return { status: 'active', clientId: data.clientId, secretVersion: 0 };
    case 'client.secret_added':
      return { status: 'active', clientId: data.clientId, secretVersion: data.secretVersion };
    case 'client.keys_set':
      return client;
    case 'client.revoked':
      return { status: 'revoked' };
  }
}
