import { AppError, isOutage } from '@junction/errors';
import { RecordError } from './record-error.js';

/**
 * `infrastructure`: the surroundings failed; the same record may succeed later, so it never counts
 * against it. `record`: the record, or the code that handles it, is at fault.
 */
export type ErrorClass = 'infrastructure' | 'record';

const CAUSES_MAX = 8;

/**
 * A schema that is not what the code expects (undefined table, column, function or schema, no
 * privilege): halfway through a deploy every record would fail alike. JN001 is a moved stream.
 */
const PASSING_SQLSTATE = /^(42P01|42703|42883|3F000|42501|JN001)$/;

const PASSING_NAMES = new Set(['AbortError', 'StreamMovedError']);
const PASSING_KINDS = new Set<string>(['unavailable', 'contended', 'rate_limited']);

/** What is read of an error. Not `instanceof Error`: it may come from another realm. */
interface Failure {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** Total: an error that nothing here knows is the record's. Looks through the chain of causes. */
export function classifyError(error: unknown): ErrorClass {
  let current = error;
  for (let depth = 0; depth < CAUSES_MAX && isFailure(current); depth++) {
    if (current instanceof RecordError) return 'record';
    if (isPassing(current) || isOutage(current)) return 'infrastructure';
    current = current.cause;
  }
  return 'record';
}

const isFailure = (error: unknown): error is Failure => typeof error === 'object' && error !== null;

function isPassing(error: Failure): boolean {
  if (error instanceof AppError) return PASSING_KINDS.has(error.kind);
  const { name, code, errors } = error;
  // Every address of a host refused the connection.
  if (Array.isArray(errors) && errors.filter(isFailure).some(isPassing)) return true;
  if (typeof name === 'string' && (PASSING_NAMES.has(name) || name.startsWith('KafkaJS')))
    return true;
  return typeof code === 'string' && PASSING_SQLSTATE.test(code);
}
