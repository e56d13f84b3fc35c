import { JunctionProblem, JunctionUnreachableError } from '@junction/client';
import { Failure } from '../failure.js';

const TRANSIENT = [502, 503, 504];
const LATE = 'TimeoutError';
/** Name of the errors of `fetch`, for a server that is not there and a connection that broke. */
const BROKEN = 'TypeError';

/** Returns true when the same request may succeed a moment later: nothing answered, or a service is away. */
export function isTransient(error: unknown): boolean {
  const cause = error instanceof Failure ? error.cause : error;
  if (cause instanceof JunctionProblem) return TRANSIENT.includes(cause.status);
  return cause instanceof JunctionUnreachableError || [LATE, BROKEN].includes(nameOf(cause));
}

/** Tells a server that takes too long from one that is not there. */
export const isLate = ({ cause }: JunctionUnreachableError): boolean => nameOf(cause) === LATE;

const nameOf = (error: unknown): string => String((error as Partial<Error> | undefined)?.name);
