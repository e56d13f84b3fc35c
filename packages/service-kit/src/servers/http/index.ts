export { formBody, jsonBody, securityEventBody } from './body.js';
export { type Caller, callerOf, requestIdOf } from './caller.js';
export { clientNetwork } from './client-network.js';
export {
  type EventSource,
  type EventStreams,
  type EventStreamsOptions,
  eventStreams,
  type ServerSentEvent,
} from './event-streams.js';
export { type HttpAppOptions, httpApp } from './http-app.js';
export { parse } from './parse.js';
export type { RouteGroup } from './route-table.js';
