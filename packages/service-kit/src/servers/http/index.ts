export { formBody, jsonBody, MERGE_PATCH, securityEventBody } from './body.js';
export { type Caller, callerOf } from './caller.js';
export { clientNetwork } from './client-network.js';
export { ifMatchOf, setEntityTag } from './entity-tag.js';
export { type EventStreams, type EventStreamsOptions, eventStreams } from './event-streams.js';
export { httpApp } from './http-app.js';
export { parse } from './parse.js';
export { type RateLimitState, rateLimit, showRateLimit } from './rate-limit.js';
export type { RouteGroup } from './route-table.js';
