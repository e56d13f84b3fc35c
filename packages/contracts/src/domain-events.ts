import {
  ApiKeyCreated,
  ApiKeyRevoked,
  ApiKeyRotated,
  SessionRevoked,
  UserClosed,
  UserDeleted,
  UserEnded,
  UserErased,
  UserRecovered,
  UserRegistered,
  UserReopened,
} from './gen/junction/auth/v1/events.js';
import {
  IntegrationConnected,
  IntegrationDisconnected,
  IntegrationReconnectRequired,
  IntegrationRevoked,
} from './gen/junction/integrations/v1/events.js';
import {
  DeliveryExhausted,
  WebhookCircuitClosed,
  WebhookCircuitOpened,
  WebhookConfigured,
  WebhookDeleted,
  WebhookDisabled,
  WebhookEnabled,
  WebhookOptionsChanged,
  WebhookSecretRotated,
  WebhookUpdated,
} from './gen/junction/webhooks/v1/events.js';

/** ce_type of every public domain event, and the message its value is. */
export const DOMAIN_EVENTS = {
  'user.registered': UserRegistered,
  'user.closed': UserClosed,
  'user.reopened': UserReopened,
  'user.deleted': UserDeleted,
  'user.ended': UserEnded,
  'user.erased': UserErased,
  'user.recovered': UserRecovered,
  'session.revoked': SessionRevoked,
  'api_key.created': ApiKeyCreated,
  'api_key.rotated': ApiKeyRotated,
  'api_key.revoked': ApiKeyRevoked,
  'integration.connected': IntegrationConnected,
  'integration.disconnected': IntegrationDisconnected,
  'integration.reconnect_required': IntegrationReconnectRequired,
  'integration.revoked': IntegrationRevoked,
  'webhook.configured': WebhookConfigured,
  'webhook.updated': WebhookUpdated,
  'webhook.options_changed': WebhookOptionsChanged,
  'webhook.secret_rotated': WebhookSecretRotated,
  'webhook.deleted': WebhookDeleted,
  'webhook.enabled': WebhookEnabled,
  'webhook.disabled': WebhookDisabled,
  'webhook.circuit_opened': WebhookCircuitOpened,
  'webhook.circuit_closed': WebhookCircuitClosed,
  'delivery.exhausted': DeliveryExhausted,
} as const;

export type DomainEventType = keyof typeof DOMAIN_EVENTS;

export type DomainEventMessage<Type extends DomainEventType> = ReturnType<
  (typeof DOMAIN_EVENTS)[Type]['fromPartial']
>;

interface JsonCodec<Message> {
  toJSON(message: Message): unknown;
  fromJSON(object: unknown): Message;
}

/** The value of a domain event's record: canonical proto JSON, which leaves default values out. */
export function encodeDomainEvent<Type extends DomainEventType>(
  type: Type,
  message: DomainEventMessage<Type>,
): Buffer {
  return Buffer.from(JSON.stringify(codecOf(type).toJSON(message)));
}

/**
 * Reads the value of a domain event's record. Unknown fields are ignored and absent ones take their
 * default, so records of older and newer writers decode. Throws when it is not a JSON object.
 */
export function decodeDomainEvent<Type extends DomainEventType>(
  type: Type,
  value: Buffer,
): DomainEventMessage<Type> {
  const json: unknown = JSON.parse(value.toString('utf8'));
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new TypeError(`The value of a ${type} record must be a JSON object.`);
  }
  return codecOf(type).fromJSON(json);
}

export const isDomainEventType = (text: string): text is DomainEventType =>
  Object.hasOwn(DOMAIN_EVENTS, text);

// The compiler cannot see that the codec found under a type is the codec of that type's message.
const codecOf = <Type extends DomainEventType>(type: Type) =>
  DOMAIN_EVENTS[type] as unknown as JsonCodec<DomainEventMessage<Type>>;
