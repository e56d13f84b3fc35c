import { AppError, isOutage } from '@junction/errors';
import { RecordError } from './record-error.js';

/**
 * Class of an error. `infrastructure`: something around the consumer failed; the same record may succeed later, so the
 * failure never counts against it. `record`: the record, or the code that handles it, is at fault.
 */
export type ErrorClass = 'infrastructure' | 'record';

const CAUSES_MAX = 8;

/**
 * Codes with which every record would fail alike: no way into the database (28, 3D000), or a schema that is not what
 * the code expects, as halfway through a deploy (undefined table, column, function or schema, no privilege, a statement
 * prepared before). JN001 is a moved stream.
 */
const TRANSIENT_CODE =
  /^(28...|3D000|42P01|42703|42883|3F000|42501|0A000|26000|JN001|ERR_STREAM_(DESTROYED|WRITE_AFTER_END))$/;

/** gRPC's cancelled, deadline_exceeded, resource_exhausted, aborted and unavailable. */
const TRANSIENT_GRPC_STATUS = new Set<unknown>([1, 4, 8, 10, 14]);

const TRANSIENT_NAMES = new Set(['AbortError', 'StreamMovedError']);
const TRANSIENT_KINDS = new Set<string>(['unavailable', 'contended', 'rate_limited']);

/** The part of an error that is read here. Not `instanceof Error`, because an error may come from another realm. */
interface Failure {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** Classifies any error: an unknown one is the record's. Looks through the chain of causes. */
export function classifyError(error: unknown): ErrorClass {
  let current = error;
  for (let depth = 0; depth < CAUSES_MAX && isFailure(current); depth++) {
    if (current instanceof RecordError) return 'record';
    if (isTransient(current) || isOutage(current)) return 'infrastructure';
    current = current.cause;
  }
  return 'record';
}

const isFailure = (error: unknown): error is Failure => typeof error === 'object' && error !== null;

function isTransient(error: Failure): boolean {
  if (error instanceof AppError) return TRANSIENT_KINDS.has(error.kind);
  const { name, code, errors } = error;
  // Every address of a host refused the connection.
  if (Array.isArray(errors) && errors.filter(isFailure).some(isTransient)) return true;
  if (typeof name === 'string' && (TRANSIENT_NAMES.has(name) || name.startsWith('KafkaJS')))
    return true;
  if (typeof code === 'string') return TRANSIENT_CODE.test(code);
  return 'details' in error && 'metadata' in error && TRANSIENT_GRPC_STATUS.has(code);
}
