export { apiKeyOwner } from './auth/api-key-owner.js';
export { type AuthChannelOptions, authChannel } from './auth/auth-channel.js';
export {
  AUTH_TOPIC,
  type AuthEventsNeeds,
  type DeletedUser,
  onAuthEvents,
} from './auth/auth-events.js';
export { expectAuth } from './auth/expect-auth.js';
export {
  authClientEnvironment,
  type CommonConfig,
  commonConfig,
  commonEnvironment,
  type GrpcSecurity,
} from './config/common-environment.js';
export { ConfigError, parseConfig } from './config/parse-config.js';
export { flag, httpUrl, list, port, postgresUrl } from './config/variables.js';
export {
  type CallOptions,
  closeChannel,
  type GrpcChannel,
  grpcChannel,
  unaryCall,
} from './grpc/grpc-channel.js';
export {
  closeGrpc,
  drainGrpc,
  type GrpcDoor,
  type GrpcService,
  grpcServer,
} from './grpc/grpc-server.js';
export { type CallContext, clientStream, type Send, serverStream, unary } from './grpc/handlers.js';
export type { Health } from './health.js';
export { authenticateUser } from './http/authenticate-user.js';
export { formBody, jsonBody, securityEventBody } from './http/body.js';
export { ACCESS_COOKIE, cookieOf, cookieValues, sameOriginOnly } from './http/browser-session.js';
export { type Caller, callerOf, requestIdOf } from './http/caller.js';
export { clientNetwork } from './http/client-network.js';
export {
  type EventSource,
  type EventStreams,
  eventStreams,
  type ServerSentEvent,
} from './http/event-streams.js';
export { httpApp } from './http/http-app.js';
export { idempotency } from './http/idempotency.js';
export {
  idempotencyColumns,
  idempotencyMigrations,
  type Sealing,
} from './http/idempotency-store.js';
export { parse } from './http/parse.js';
export type { RouteGroup } from './http/route-table.js';
export { type Logger, logger } from './logging/logger.js';
export { type Meter, type Metrics, metrics } from './metrics.js';
export { finishRestoreOf } from './postgres/finish-restore.js';
export { keepProjections } from './postgres/keep-projections.js';
export {
  type EventStoreOpening,
  openEventStore,
} from './postgres/open-event-store.js';
export { MAINTENANCE_STATEMENT_MS, openPools, postgresPool } from './postgres/pool.js';
export { type Revocations, revocationMigrations, revocations } from './postgres/revocations.js';
export type { Closing } from './process/closing.js';
export type { Life } from './process/life.js';
export { runService } from './process/run-service.js';
export { type ServiceTokens, serviceTokens } from './tokens/service-tokens.js';
export {
  type Claims,
  remoteKeys,
  tokenVerifier,
  type VerifyToken,
} from './tokens/token-verifier.js';
