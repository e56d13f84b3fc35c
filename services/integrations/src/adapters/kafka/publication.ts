import {
  encodeDomainEvent,
  type NoticeData,
  type NoticeKind,
  noticeRecord,
} from '@junction/contracts';
import { splitStreamId } from '@junction/eventsourcing';
import type { OutboxMessage, Publish } from '@junction/eventsourcing/postgres';
import type { ConnectionEvent } from '../../domain/connection/events.js';

/** Public events of connections. They name neither tokens nor the account, which a notice names to its user. */
export const INTEGRATIONS_TOPIC = 'integrations.events.v1';

/** ce_source of what this service says. */
export const INTEGRATIONS_SOURCE = 'junction/integrations';

/**
 * Publishes an event under the name it is stored with, and a notice for the user's own webhooks. Failures and
 * recoveries between two refreshes are not published, only the notice.
 */
export const publishConnectionEvent: Publish<ConnectionEvent> = (event, { streamId }) => {
  const { id: connectionId } = splitStreamId(streamId);
  const notice = noticeOf(event, connectionId);
  const payload = payloadOf(event, connectionId);
  if (payload === undefined) return notice;
  const record: OutboxMessage = {
    topic: INTEGRATIONS_TOPIC,
    key: connectionId,
    type: event.type,
    subject: event.data.userId,
    payload,
    sequenced: true,
  };
  return notice ? [record, notice] : record;
};

/** Returns the notice for the user. A user who was deleted gets no notice: their webhooks were deleted with them. */
function noticeOf(event: ConnectionEvent, connectionId: string): OutboxMessage | undefined {
  const { userId, identityProvider, provider, account, at } = event.data;
  const about = {
    provider,
    integration_id: connectionId,
    identity_provider: identityProvider,
    account,
    occurred_at: at,
  };
  switch (event.type) {
    case 'integration.connected':
    case 'integration.recovered':
      return notice(event.type, userId, about);
    case 'integration.degraded':
    case 'integration.reconnect_required':
      return notice(event.type, userId, { ...about, reason: event.data.reason });
    case 'integration.disconnected':
    case 'integration.revoked': {
      const { reason } = event.data;
      if (reason === 'user_deleted') return undefined;
      return notice('integration.disconnected', userId, { ...about, reason });
    }
    case 'integration.revocation_settled':
    case 'integration.made_primary':
    case 'integration.deleted':
      return undefined;
  }
}

const notice = <Kind extends NoticeKind>(
  kind: Kind,
  userId: string,
  data: NoticeData<Kind>,
): OutboxMessage => ({ ...noticeRecord({ kind, userId, data }), sequenced: false });

function payloadOf(event: ConnectionEvent, connectionId: string): Buffer | undefined {
  const { userId, identityProvider, provider, at } = event.data;
  const about = { userId, connectionId, identityProvider, provider, occurredAt: new Date(at) };
  switch (event.type) {
    case 'integration.connected': {
      const { grantedScopes, credentialVersion, expiresAt } = event.data;
      return encodeDomainEvent(event.type, {
        ...about,
        scopes: [...grantedScopes],
        credentialVersion,
        expiresAt: new Date(expiresAt),
      });
    }
    case 'integration.revoked':
    case 'integration.reconnect_required': {
      const { reason, credentialVersion } = event.data;
      return encodeDomainEvent(event.type, { ...about, reason, credentialVersion });
    }
    case 'integration.disconnected':
      return encodeDomainEvent(event.type, { ...about, reason: event.data.reason });
    case 'integration.degraded':
    case 'integration.recovered':
    case 'integration.revocation_settled':
    case 'integration.made_primary':
    case 'integration.deleted':
      return undefined;
  }
}
