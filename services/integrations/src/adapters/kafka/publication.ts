import { encodeDomainEvent } from '@junction/contracts';
import { splitStreamId } from '@junction/eventsourcing';
import type { Publish } from '@junction/eventsourcing-postgres';
import type { ConnectionEvent } from '../../domain/connection/events.js';

/** The public life of connections. Neither tokens nor the account are told. */
const INTEGRATIONS_TOPIC = 'integrations.events.v1';

/** ce_source of what this service says. */
export const INTEGRATIONS_SOURCE = 'junction/integrations';

/** Public under the same name as stored, except how a connection fares between two refreshes. */
export const publishConnectionEvent: Publish<ConnectionEvent> = (event, { streamId }) => {
  const { id: connectionId } = splitStreamId(streamId);
  const payload = payloadOf(event, connectionId);
  return (
    payload && {
      topic: INTEGRATIONS_TOPIC,
      key: connectionId,
      type: event.type,
      subject: event.data.userId,
      payload,
      sequenced: true,
    }
  );
};

function payloadOf(event: ConnectionEvent, connectionId: string): Buffer | undefined {
  const { userId, provider, at } = event.data;
  const about = { userId, connectionId, provider, occurredAt: new Date(at) };
  switch (event.type) {
    case 'integration.connected':
    case 'integration.refreshed': {
      const { grantedScopes, credentialVersion, expiresAt } = event.data;
      return encodeDomainEvent(event.type, {
        ...about,
        scopes: [...grantedScopes],
        credentialVersion,
        expiresAt: new Date(expiresAt),
      });
    }
    case 'integration.reconnect_required': {
      const { reason, credentialVersion } = event.data;
      return encodeDomainEvent(event.type, { ...about, reason, credentialVersion });
    }
    case 'integration.disconnected':
      return encodeDomainEvent(event.type, { ...about, reason: event.data.reason });
    case 'integration.degraded':
    case 'integration.recovered':
    case 'integration.forgotten':
      return undefined;
  }
}
