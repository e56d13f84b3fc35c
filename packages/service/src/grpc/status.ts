import { Metadata, type ServiceError, type StatusObject, status } from '@grpc/grpc-js';
import { AppError, type ErrorKind } from '@junction/errors';
import { TRANSPORTS } from '../errors/error-transports.js';
import { serviceUnavailable, toAppError } from '../errors/to-app-error.js';
import { statusDetails } from './status-details.js';

const CODE = 'error-code';
const KIND = 'error-kind';
const RETRY_AFTER = 'retry-after-s';

/** Codes of refusals by the server itself. To the calling process these codes mean that it is set up wrongly. */
const REFUSED_BY_THE_SERVER = ['service_token_refused', 'scope_missing'];

/** Converts an error for the wire: a status, the code in metadata, and google.rpc details. */
export function toGrpcStatus(error: unknown): StatusObject {
  const known = toAppError(error);
  const code = TRANSPORTS[known.kind].grpc;
  const metadata = new Metadata();
  metadata.set(CODE, known.code);
  metadata.set(KIND, known.kind);
  if (known.retryAfterS !== undefined) metadata.set(RETRY_AFTER, String(known.retryAfterS));
  metadata.set('grpc-status-details-bin', statusDetails(code, known));
  return { code, details: known.message, metadata };
}

/**
 * Converts a failed call for its caller: the other service's error again, or `unavailable` when that service could not
 * be reached in time. A refusal of our own token is our failure and stays `internal`: passed on, it would make an
 * innocent user sign in again.
 */
export function fromGrpcError(error: ServiceError): AppError {
  const code = textOf(error.metadata, CODE);
  const kind = textOf(error.metadata, KIND);

  if (code !== undefined && REFUSED_BY_THE_SERVER.includes(code)) return AppError.from(error);
  if (code !== undefined && isErrorKind(kind) && kind !== 'internal') {
    const retryAfterS = Number(textOf(error.metadata, RETRY_AFTER));
    return new AppError({ kind, code }, error.details, {
      cause: error,
      ...(retryAfterS > 0 && { retryAfterS }),
    });
  }
  if (COULD_NOT_BE_REACHED.has(error.code)) return serviceUnavailable(error);
  return AppError.from(error);
}

const COULD_NOT_BE_REACHED = new Set<status>([
  status.UNAVAILABLE,
  status.DEADLINE_EXCEEDED,
  status.CANCELLED,
]);

const isErrorKind = (kind: string | undefined): kind is ErrorKind =>
  kind !== undefined && Object.hasOwn(TRANSPORTS, kind);

function textOf(metadata: Metadata | undefined, key: string): string | undefined {
  const value = metadata?.get(key)[0];
  return typeof value === 'string' ? value : undefined;
}
