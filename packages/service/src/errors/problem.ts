import type { FieldError } from '@junction/errors';
import { TRANSPORTS } from './error-transports.js';
import { toAppError } from './to-app-error.js';

/**
 * Problem of RFC 9457. `type` is the address of the problem's explanation (docs/decisions/0020), `instance` the
 * resource that met it, without its query; both are relative to the URL of the request.
 */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  /** Stable code that a client branches on. */
  readonly code: string;
  readonly request_id: string;
  readonly errors?: readonly FieldError[];
}

export function toProblem(error: unknown, instance: string, requestId: string): Problem {
  const { kind, code, message, fields } = toAppError(error);
  const { http, title } = TRANSPORTS[kind];
  return {
    type: `/docs/errors#${code}`,
    title,
    status: http,
    detail: message,
    instance,
    code,
    request_id: requestId,
    ...(fields.length > 0 && { errors: fields }),
  };
}
