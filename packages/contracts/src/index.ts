export { apiKeyPrefix, apiKeyToken, isKeyId, keyIdOf } from './api-key-token.js';
export {
  type EventVerdict,
  type ValidEvent,
  validateAssistantEvent,
} from './assistant-event.js';
export { isInUtf8 } from './content-mode.js';
export type { DataSchemas } from './data-schema.js';
export {
  DOMAIN_EVENTS,
  type DomainEventMessage,
  type DomainEventType,
  decodeDomainEvent,
  encodeDomainEvent,
  isDomainEventType,
} from './domain-events.js';
export {
  type CatalogueEntry,
  catalogueOf,
  EVENT_CATALOGUE,
  type EventCatalogue,
} from './event-catalogue.js';
export {
  dataSchemas,
  EVENT_KINDS,
  type EventData,
  type EventKind,
  isEventKind,
} from './event-kinds.js';
export { type AssistantEventProblem, DATA_BYTES_MAX } from './event-problem.js';
export {
  type AssistantEventRecord,
  assistantEventRecord,
  type OutgoingAssistantEvent,
} from './event-record.js';
export { InexactNumber, mayBeInexact, parseExactly } from './exact-json.js';
export {
  type CamelCased,
  camelCased,
  type SnakeCase,
  type SnakeCased,
  snakeCase,
  snakeCased,
} from './field-names.js';
export {
  BadRequest,
  ErrorInfo,
  RetryInfo,
  Status as RpcStatus,
} from './gen/google/rpc/status.js';
export {
  AuthenticateRequest,
  AuthenticateResponse,
  AuthServiceClient,
  type AuthServiceServer,
  AuthServiceService,
} from './gen/junction/auth/v1/auth.js';
export {
  ApiKeyCreated,
  ApiKeyRevoked,
  SessionRevoked,
  UserDeleted,
  UserRegistered,
} from './gen/junction/auth/v1/events.js';
export {
  AssistantEventsServiceClient,
  type AssistantEventsServiceServer,
  AssistantEventsServiceService,
  PublishRequest,
  PublishResponse,
  PublishStreamRequest,
  PublishStreamResponse,
  RefusedEvent,
} from './gen/junction/events/v1/events.js';
export {
  IntegrationConnected,
  IntegrationDisconnected,
  IntegrationReconnectRequired,
  IntegrationRevoked,
} from './gen/junction/integrations/v1/events.js';
export {
  Connection,
  GetAccessTokenRequest,
  GetAccessTokenResponse,
  IntegrationsServiceClient,
  type IntegrationsServiceServer,
  IntegrationsServiceService,
  ListConnectionsRequest,
  ListConnectionsResponse,
  ReportUnauthorizedRequest,
  ReportUnauthorizedResponse,
} from './gen/junction/integrations/v1/integrations.js';
export {
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
export { foreignUserId, type IdPrefix, messageId, newId } from './ids.js';
export { isNoticeKind, type NoticeData, type NoticeKind, noticeSchemas } from './notice-kinds.js';
export { oneLine } from './one-line.js';
export { decodePublishRequest } from './publish-request.js';
export { parseRfc3339 } from './rfc3339.js';
export {
  API_KEY_FULL_SCOPE,
  API_KEY_SCOPES,
  type ApiKeyScope,
  SERVICE_SCOPES,
  SERVICES,
  type ServiceName,
  type ServiceScope,
} from './scopes.js';
export { isStorable } from './storable-text.js';
export { HOST_HEADER, noticeRecord, USER_TOPIC, validateUserEvent } from './user-event.js';
