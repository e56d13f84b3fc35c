import { status } from '@grpc/grpc-js';
import type { ErrorKind } from '@junction/errors';

/** Status of each kind of failure for HTTP and gRPC. No other table maps kinds to both. */
// biome-ignore format: a table is read by columns
export const TRANSPORTS = {
  invalid:                { http: 400, grpc: status.INVALID_ARGUMENT,    title: 'Invalid request' },
  unauthenticated:        { http: 401, grpc: status.UNAUTHENTICATED,     title: 'Not authenticated' },
  forbidden:              { http: 403, grpc: status.PERMISSION_DENIED,   title: 'Not allowed' },
  not_found:              { http: 404, grpc: status.NOT_FOUND,           title: 'Not found' },
  method_not_allowed:     { http: 405, grpc: status.UNIMPLEMENTED,       title: 'Method not allowed' },
  conflict:               { http: 409, grpc: status.FAILED_PRECONDITION, title: 'Conflict' },
  contended:              { http: 409, grpc: status.ABORTED,             title: 'Conflict' },
  precondition_failed:    { http: 412, grpc: status.FAILED_PRECONDITION, title: 'Precondition failed' },
  too_large:              { http: 413, grpc: status.OUT_OF_RANGE,        title: 'Too large' },
  address_too_long:       { http: 414, grpc: status.OUT_OF_RANGE,        title: 'Address too long' },
  headers_too_large:      { http: 431, grpc: status.OUT_OF_RANGE,        title: 'Headers too large' },
  unsupported_media_type: { http: 415, grpc: status.INVALID_ARGUMENT,    title: 'Unsupported media type' },
  unprocessable:          { http: 422, grpc: status.FAILED_PRECONDITION, title: 'Unprocessable request' },
  rate_limited:           { http: 429, grpc: status.RESOURCE_EXHAUSTED,  title: 'Too many requests' },
  internal:               { http: 500, grpc: status.INTERNAL,            title: 'Internal error' },
  unavailable:            { http: 503, grpc: status.UNAVAILABLE,         title: 'Temporarily unavailable' },
} as const satisfies Record<ErrorKind, { http: number; grpc: status; title: string }>;
