import { type EventCodec, jsonCodec, personalIn, schemasOf } from '@junction/eventsourcing';
import { personalFields, type Vault } from '@junction/vault';
import { type ConnectionEvent, connectionEvents } from '../../domain/connection/events.js';

/** Every type and schema version ever stored, with personal fields opened; golden/ has a file for each. */
export const openEvents = jsonCodec<ConnectionEvent>(schemasOf(connectionEvents));

/** Creates the codec of stored events of connections. The account of a connection is sealed with its user's key. */
export const connectionCodec = (vault: Vault): EventCodec<ConnectionEvent> =>
  personalFields(openEvents, {
    vault,
    subjectOf: (_, { data }) => data.userId,
    fields: personalIn(connectionEvents),
  });
