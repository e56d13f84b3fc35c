export { TRANSPORTS } from '../errors/error-transports.js';
export { toProblem } from '../errors/problem.js';
export { toAppError } from '../errors/to-app-error.js';
export { formBody, jsonBody, MERGE_PATCH, securityEventBody } from './body.js';
export { type Caller, callerOf, findCaller, findClient, requestIdOf } from './caller.js';
export { clientNetworks } from './client-network.js';
export { ifMatchOf, setEntityTag } from './entity-tag.js';
export { type EventStreams, type EventStreamsOptions, eventStreams } from './event-streams.js';
export { EXPORT_ROWS_MAX, EXPORT_TYPES, type ExportFormat, sendExport } from './export.js';
export { httpApp } from './http-app.js';
export { DEPRECATED, jsonObject, mount, pageOf, type Route, routesOf } from './mount.js';
export { parse } from './parse.js';
export { type RateLimitState, rateLimit, showRateLimit, tightest } from './rate-limit.js';
export { requestTurns } from './request-turns.js';
export type { RouteGroup } from './route-table.js';
export {
  answerWithEvents,
  onceClosed,
  type SendEvent,
  type ServerSentEvent,
} from './server-sent-events.js';
