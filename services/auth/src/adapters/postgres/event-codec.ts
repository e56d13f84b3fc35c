import { type EventCodec, jsonCodec, personalIn, schemasOf } from '@junction/eventsourcing';
import { personalFields, type Vault } from '@junction/vault';
import { type AuthEvent, authEvents } from '../../domain/auth-event.js';

/** Every type and schema version ever stored, with personal fields opened; golden/ has a file for each. */
export const openEvents = jsonCodec<AuthEvent>(schemasOf(authEvents));

/** How events lie in the store: JSON, with what is personal sealed under its user's own key. */
export const eventCodec = (vault: Vault): EventCodec<AuthEvent> =>
  personalFields(openEvents, {
    vault,
    subjectOf: (_, { data }) => ('userId' in data ? data.userId : ''),
    fields: personalIn(authEvents),
  });
