import { encodeDomainEvent } from '@junction/contracts';
import { type DataOf, splitStreamId } from '@junction/eventsourcing';
import type { OutboxMessage, Publish } from '@junction/eventsourcing/postgres';
import { AUTH_TOPIC } from '@junction/service/callers';
import type { AuthEvent } from '../../domain/auth-event.js';

export const AUTH_SOURCE = 'junction/auth';

/**
 * Returns the public record of an event, undefined for an event that no other service needs. Records hold ids and
 * reasons only: the topic is kept for ever, so neither an address nor the name of a key may get there.
 */
export const publishAuthEvent: Publish<AuthEvent> = (event, { streamId }) => {
  const payload = encode(event);
  if (payload === undefined) return undefined;
  return {
    topic: AUTH_TOPIC,
    key: splitStreamId(streamId).id,
    type: event.type,
    subject: userOf(event),
    payload,
    sequenced: true,
  } satisfies OutboxMessage;
};

/** Returns the user whom an event is about; '' where there is none. */
const userOf = ({ data }: AuthEvent): string => ('userId' in data ? data.userId : '');

function encode({ type, data }: AuthEvent): Buffer | undefined {
  const occurredAt = new Date(data.at);
  switch (type) {
    case 'user.email_verified':
    case 'user.email_changed':
    case 'user.password_changed':
    case 'user.second_factor_added':
    case 'user.second_factor_removed':
    case 'user.recovery_codes_generated':
    case 'user.role_changed':
    case 'user.recovery_code_used':
    case 'user.passkey_suspected':
    case 'user.trouble_mails_changed':
    case 'session.started':
    case 'client.registered':
    case 'client.secret_added':
    case 'client.keys_set':
    case 'client.revoked':
    case 'signing_key.created':
    case 'signing_key.retired':
      return undefined;
    case 'user.registered': {
      const { userId, origin = '' } = data;
      return encodeDomainEvent(type, { userId, occurredAt, origin });
    }
    case 'user.recovered':
      return encodeDomainEvent(type, { ...recovery(data), occurredAt });
    case 'user.closed':
    case 'user.reopened':
    case 'user.deleted':
      return encodeDomainEvent(type, { userId: data.userId, occurredAt });
    case 'session.revoked': {
      const { userId, sessionId, reason } = data;
      return encodeDomainEvent(type, { userId, sessionId, reason, occurredAt });
    }
    case 'api_key.created': {
      const { userId, keyId, scopes } = data;
      return encodeDomainEvent(type, { userId, keyId, scopes: [...scopes], occurredAt });
    }
    case 'api_key.rotated':
      return encodeDomainEvent(type, { ...rotation(data), occurredAt });
    case 'api_key.revoked': {
      const { userId, keyId, reason } = data;
      return encodeDomainEvent(type, { userId, keyId, reason, occurredAt });
    }
  }
}

function recovery({ userId, reason, webhookIds, portalIds }: DataOf<AuthEvent, 'user.recovered'>) {
  const webhooks = { webhookIds: [...(webhookIds ?? [])], allWebhooks: webhookIds === undefined };
  return { userId, reason, ...webhooks, portalIds: [...portalIds] };
}

function rotation({ userId, keyId, secretVersion, ...ends }: DataOf<AuthEvent, 'api_key.rotated'>) {
  const previousValidUntil = new Date(ends.previousValidUntil);
  const endedSecretVersions = [...ends.endedSecretVersions];
  return { userId, keyId, secretVersion, previousValidUntil, endedSecretVersions };
}
