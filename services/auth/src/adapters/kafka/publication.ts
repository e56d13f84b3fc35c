import { encodeDomainEvent } from '@junction/contracts';
import { splitStreamId } from '@junction/eventsourcing';
import type { OutboxMessage, Publish } from '@junction/eventsourcing-postgres';
import type { AuthEvent } from '../../domain/auth-event.js';

export const AUTH_SOURCE = 'junction/auth';

const AUTH_EVENTS = 'auth.events.v1';

/**
 * What the world learns of an event, undefined when it is nobody's business. Ids and reasons only:
 * the topic is kept for ever, so neither an address nor the name of a key may get there.
 */
export const publishAuthEvent: Publish<AuthEvent> = (event, { streamId }) => {
  const payload = encode(event);
  if (payload === undefined) return undefined;
  return {
    topic: AUTH_EVENTS,
    key: splitStreamId(streamId).id,
    type: event.type,
    subject: event.data.userId,
    payload,
    sequenced: true,
  } satisfies OutboxMessage;
};

function encode({ type, data }: AuthEvent): Buffer | undefined {
  const { userId } = data;
  const occurredAt = new Date(data.at);
  switch (type) {
    case 'session.started':
      return undefined;
    case 'user.registered':
    case 'user.deleted':
      return encodeDomainEvent(type, { userId, occurredAt });
    case 'session.revoked': {
      const { sessionId, reason } = data;
      return encodeDomainEvent(type, { userId, sessionId, reason, occurredAt });
    }
    case 'api_key.created':
      return encodeDomainEvent(type, {
        userId,
        keyId: data.keyId,
        scopes: [...data.scopes],
        occurredAt,
      });
    case 'api_key.rotated': {
      const { keyId, secretVersion, endedSecretVersions } = data;
      const previousValidUntil = new Date(data.previousValidUntil);
      const secrets = {
        secretVersion,
        previousValidUntil,
        endedSecretVersions: [...endedSecretVersions],
      };
      return encodeDomainEvent(type, { userId, keyId, ...secrets, occurredAt });
    }
    case 'api_key.revoked':
      return encodeDomainEvent(type, {
        userId,
        keyId: data.keyId,
        reason: data.reason,
        occurredAt,
      });
  }
}
